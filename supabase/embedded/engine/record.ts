import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readPrivate, writePrivate } from '../private-file.ts';
import { StartError } from '../start-error.ts';
import type { Engine } from './engine.ts';
import { PGLITE } from './pglite.ts';

/** What stands beside the data: which engine wrote it. */
export type EngineRecord = { engine: Engine['kind']; version: string; postgres: number };

/**
 * Looks whether the newsroom of this folder lives in the engine that is about to be opened.
 * @returns what was recorded; undefined in a new folder
 * @throws StartError when it lives in another one, or in one whose files ours cannot read
 */
export async function checkRecord(data: string, kind: Engine['kind']): Promise<EngineRecord | undefined> {
  const before = await read(data);
  if (!before) return undefined;
  if (before.engine !== kind) {
    throw new StartError(before.engine === 'pglite' ? livesInFolder(data) : livesInPostgres(data));
  }
  if (kind === 'pglite' && before.postgres !== PGLITE.postgres) {
    throw new StartError(
      `${data} was written by ${before.engine} ${before.version} (PostgreSQL ${before.postgres}); this program reads ${PGLITE.engine} (PostgreSQL ${PGLITE.postgres}).`,
    );
  }
  return before;
}

/** Notes beside the data which engine has it now. */
export async function recordEngine(data: string, { kind, version, postgres }: Engine): Promise<void> {
  await writePrivate(join(data, 'engine.json'), { engine: kind, version, postgres } satisfies EngineRecord);
}

async function read(data: string): Promise<EngineRecord | undefined> {
  const recorded = await readPrivate(join(data, 'engine.json'));
  // A first start that was cut short has its files, but not the note.
  const unnoted = existsSync(join(data, 'db')) ? PGLITE : undefined;
  return (recorded as EngineRecord | undefined) ?? unnoted;
}

const HOW_TO_MOVE =
  'To move it, run `npm run backup` where it lives, then `npm run restore` with the new setting and a new STOPPRESS_DATA.';

const livesInFolder = (data: string) =>
  `The newsroom of ${data} lives in that folder, and DATABASE_URL names another place. Start it without DATABASE_URL. ${HOW_TO_MOVE}`;

const livesInPostgres = (data: string) =>
  `The newsroom of ${data} lives in PostgreSQL. Start it with its DATABASE_URL. ${HOW_TO_MOVE}`;
