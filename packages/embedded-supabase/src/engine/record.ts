import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ifExists, readPrivate, writePrivate } from '../data-folder.ts';
import { StartError } from '../start-error.ts';
import type { Engine } from './engine.ts';
import { olderEngines, PGLITE } from './pglite-release.ts';

/** The engine that wrote the data. Stored beside it. */
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
  if (kind === 'pglite' && !existsSync(join(data, 'db'))) throw new StartError(gone(data));
  if (kind === 'pglite' && before.postgres !== PGLITE.postgres && !olderEngine(before)) {
    throw new StartError(writtenByOther(data, before));
  }
  return before;
}

/** The engine that reads what this record names, where it is one of an earlier release. */
export const olderEngine = ({ engine, postgres }: EngineRecord) =>
  engine === 'pglite' ? olderEngines.find((one) => one.postgres === postgres) : undefined;

/** Notes beside the data which engine has it now. */
export async function recordEngine(data: string, { kind, version, postgres }: Engine): Promise<void> {
  await writePrivate(join(data, 'engine.json'), { engine: kind, version, postgres } satisfies EngineRecord);
}

/** The note as it stands. */
export const readRecord = async (data: string) =>
  (await readPrivate(join(data, 'engine.json'))) as EngineRecord | undefined;

async function read(data: string): Promise<EngineRecord | undefined> {
  const recorded = await readRecord(data);
  // The folder itself knows best: a first start that was cut short has its files but not the note, and so has a carrying over.
  const postgres = recorded?.engine === 'postgres' ? undefined : await majorOf(join(data, 'db'));
  if (postgres === undefined) return recorded;
  const version = recorded?.postgres === postgres ? recorded.version : versionOf(postgres);
  return { engine: 'pglite', version, postgres };
}

const versionOf = (postgres: number) =>
  [PGLITE, ...olderEngines].find((one) => one.postgres === postgres)?.version ?? 'of another version';

/** The major version of the PostgreSQL that has made this folder; undefined where there is none. */
async function majorOf(folder: string): Promise<number | undefined> {
  const text = await ifExists(readFile(join(folder, 'PG_VERSION'), 'utf8'));
  return text === undefined ? undefined : Number.parseInt(text, 10);
}

const gone = (data: string) =>
  `The rows of ${data} are gone: there is no folder db in it. Put it back, or run \`embedded-supabase restore FILE --overwrite\` with a backup.`;

function writtenByOther(data: string, { engine, version, postgres }: EngineRecord): string {
  const writer = `${data} was written by ${engine} ${version} (PostgreSQL ${postgres}); this program reads ${PGLITE.engine} (PostgreSQL ${PGLITE.postgres}).`;
  return postgres > PGLITE.postgres
    ? `${writer} Start it with the version that wrote it, or a later one.`
    : `${writer} Put the version back that wrote it, run \`embedded-supabase backup\`, put this one in place again and run \`embedded-supabase restore FILE --overwrite\`.`;
}

const HOW_TO_MOVE =
  'To move it, run `embedded-supabase backup` where it lives, then `embedded-supabase restore` with the new setting and a new EMBEDDED_SUPABASE_DATA.';

const livesInFolder = (data: string) =>
  `The newsroom of ${data} lives in that folder, and DATABASE_URL names another place. Start it without DATABASE_URL. ${HOW_TO_MOVE}`;

const livesInPostgres = (data: string) =>
  `The newsroom of ${data} lives in PostgreSQL. Start it with its DATABASE_URL. ${HOW_TO_MOVE}`;
