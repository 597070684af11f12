import { resolve } from 'node:path';

/** Migrations of these tests, which depend on no table of the product. */
export const PROBE_SCHEMA = resolve('tests/backend/embedded/schema');
