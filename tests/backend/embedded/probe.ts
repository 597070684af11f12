import { resolve } from 'node:path';
import { test as base } from '../../support/backend-test.ts';

/** Migrations of these tests, which depend on no table of the product. */
export const PROBE_SCHEMA = resolve('tests/backend/embedded/schema');

/** A test on a shared backend with these migrations. */
export const test = base.extend('backendOptions', { migrations: PROBE_SCHEMA });
