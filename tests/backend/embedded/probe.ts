import { resolve } from 'node:path';

/** Migrations made for the contract tests, so that they depend on no table of the product. */
export const PROBE_SCHEMA = resolve('tests/backend/embedded/schema');
