import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readPrivateJson, undefinedIfMissing, writePrivateJson } from '../data-folder.ts';
import type { Settings } from '../settings.ts';
import { StartError } from '../start-error.ts';
import type { Engine } from './engine.ts';
import { openPglite } from './pglite.ts';
import { legacyEngines, PGLITE_RELEASE } from './pglite-release.ts';
import { openPostgres } from './postgres.ts';

/** Returns the kind of engine that the settings select. */
export const engineKind = ({ databaseUrl }: Pick<Settings, 'databaseUrl'>): Engine['kind'] =>
  databaseUrl ? 'postgres' : 'pglite';

/**
 * Opens the database that the settings select, for this process alone. The caller has already locked the data folder.
 * @param onLockLost runs if another backend locked the database while the connection was lost
 * @throws StartError if the database cannot be opened
 */
export function openEngine(
  { data, databaseUrl }: Pick<Settings, 'data' | 'databaseUrl'>,
  onLockLost: () => void,
): Promise<Engine> {
  return databaseUrl ? openPostgres(databaseUrl, onLockLost) : openPglite(join(data, 'db'));
}

/** The engine that wrote the data. The record is stored in the data folder, as `engine.json`. */
export type EngineRecord = { engine: Engine['kind']; version: string; postgres: number };

/**
 * Checks whether the data of a folder was written by the engine that is about to be opened.
 * @returns the record, or undefined for a new folder
 * @throws StartError if another engine has the data, if its files are missing, or if this program cannot read them
 */
export async function checkEngineRecord(
  data: string,
  kind: Engine['kind'],
): Promise<EngineRecord | undefined> {
  const record = await detectEngine(data);
  if (!record) return undefined;
  if (record.engine !== kind) {
    throw new StartError(record.engine === 'pglite' ? livesInFolder(data) : livesInPostgres(data));
  }
  if (kind === 'pglite' && !existsSync(join(data, 'db'))) throw new StartError(missingDatabase(data));
  if (kind === 'pglite' && record.postgres !== PGLITE_RELEASE.postgres && !findLegacyEngine(record)) {
    throw new StartError(writtenByOther(data, record));
  }
  return record;
}

/** Returns the engine of an earlier release that can read the data, or undefined if there is none. */
export const findLegacyEngine = ({ engine, postgres }: EngineRecord) =>
  engine === 'pglite' ? legacyEngines.find((older) => older.postgres === postgres) : undefined;

/** Records in the data folder which engine has the data now. */
export async function writeEngineRecord(data: string, { kind, version, postgres }: Engine): Promise<void> {
  await writePrivateJson(join(data, 'engine.json'), {
    engine: kind,
    version,
    postgres,
  } satisfies EngineRecord);
}

/** Reads the record, without checking it against the files. */
export const readEngineRecord = async (data: string) =>
  (await readPrivateJson(join(data, 'engine.json'))) as EngineRecord | undefined;

async function detectEngine(data: string): Promise<EngineRecord | undefined> {
  const recorded = await readEngineRecord(data);
  // PG_VERSION is more reliable than the record: an interrupted first start, or an interrupted copy to a new engine,
  // leaves a database without its record.
  const postgres = recorded?.engine === 'postgres' ? undefined : await majorOf(join(data, 'db'));
  if (postgres === undefined) return recorded;
  const version = recorded?.postgres === postgres ? recorded.version : versionOf(postgres);
  return { engine: 'pglite', version, postgres };
}

const versionOf = (postgres: number) =>
  [PGLITE_RELEASE, ...legacyEngines].find((release) => release.postgres === postgres)?.version ??
  'of another version';

/** Returns the major version of PostgreSQL that created a folder, or undefined if there is no database. */
async function majorOf(folder: string): Promise<number | undefined> {
  const text = await undefinedIfMissing(readFile(join(folder, 'PG_VERSION'), 'utf8'));
  return text === undefined ? undefined : Number.parseInt(text, 10);
}

const missingDatabase = (data: string) =>
  `The database of ${data} is missing: there is no folder db in it. Put it back, or run \`embedded-supabase restore FILE --overwrite\` with a backup.`;

function writtenByOther(data: string, { engine, version, postgres }: EngineRecord): string {
  const description = `${data} was written by ${engine} ${version} (PostgreSQL ${postgres}); this program reads ${PGLITE_RELEASE.engine} (PostgreSQL ${PGLITE_RELEASE.postgres}).`;
  return postgres > PGLITE_RELEASE.postgres
    ? `${description} Start it with the version that wrote it, or a later one.`
    : `${description} Install the version that wrote it, run \`embedded-supabase backup\`, install this version again and run \`embedded-supabase restore FILE --overwrite\`.`;
}

const HOW_TO_MOVE =
  'To move it, run `embedded-supabase backup` with the old setting, then `embedded-supabase restore` with the new setting and a new EMBEDDED_SUPABASE_DATA.';

const livesInFolder = (data: string) =>
  `The newsroom of ${data} is stored in that folder, and DATABASE_URL names another place. Start it without DATABASE_URL. ${HOW_TO_MOVE}`;

const livesInPostgres = (data: string) =>
  `The newsroom of ${data} is stored in PostgreSQL. Start it with its DATABASE_URL. ${HOW_TO_MOVE}`;
