import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine } from '../engine/engine.ts';

const SCRIPTS = [
  'bootstrap/bootstrap.sql',
  'realtime/realtime.sql',
  'storage/storage.sql',
  'jobs/cron.sql',
  'jobs/net.sql',
  'jobs/vault.sql',
  'bootstrap/extensions.sql',
];

/** Makes what a hosted project has before its first migration. Safe to repeat. */
export async function bootstrap(engine: Engine): Promise<void> {
  for (const script of SCRIPTS)
    await engine.exec(await readFile(join(import.meta.dirname, '..', script), 'utf8'));
}
