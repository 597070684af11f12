import type { TestContext } from '../../support/actors.ts';
import { test } from '../../support/backend-test.ts';

export let context: TestContext;

/** Shares the backend of the worker with the tests of a file. */
export function useContext(): void {
  test.beforeAll(({ context: shared }) => {
    context = shared;
  });
}
