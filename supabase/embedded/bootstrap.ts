import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';

/** Makes what a hosted project has before its first migration. Safe to repeat. */
export async function bootstrap(pg: PGlite): Promise<void> {
  await pg.exec(await readFile(join(import.meta.dirname, 'bootstrap.sql'), 'utf8'));
}
