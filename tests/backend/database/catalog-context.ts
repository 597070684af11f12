import { test } from '../../support/backend-test.ts';
import type { Catalog } from '../../support/database.ts';

/* Rules that the catalog must follow. New tables, columns and functions fail here until they are added below. */

export let catalog: Catalog;

export const rows = <Row>(query: string) => catalog.rows<Row>(query);

export type Readers = 'everyone' | 'signed in' | 'people only' | 'server' | 'nobody';

const READERS: Record<string, Readers> = {
  'anon,authenticated,service_role': 'everyone',
  'authenticated,service_role': 'signed in',
  authenticated: 'people only',
  service_role: 'server',
  '': 'nobody',
};

/** The readers of an object that these roles may use. Any other combination of roles is returned as it is. */
export const readersOf = (roles: string): string => READERS[roles] ?? roles;

/** Shares the catalog of the worker with the tests of a file. */
export function useCatalog(): void {
  test.beforeAll(({ catalog: shared }) => {
    catalog = shared;
  });
}
