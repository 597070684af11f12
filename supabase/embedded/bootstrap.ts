import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine } from './engine/engine.ts';

/** Makes what a hosted project has before its first migration. Safe to repeat. */
export async function bootstrap(engine: Engine): Promise<void> {
  await engine.exec(await readFile(join(import.meta.dirname, 'bootstrap.sql'), 'utf8'));
}
