import { createHash, randomUUID } from 'node:crypto';
import { constants, cpSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Mutex } from 'async-mutex';
import postgres, { type Sql } from 'postgres';
import { inject } from 'vitest';
import { startProcess } from './processes.ts';

// Benchmarks run without the test runner, on PGlite.
const cluster = process.env.VITEST ? inject('postgres') : undefined;

/** The engine of this project's backends. */
export const ENGINE = cluster === undefined ? 'pglite' : 'postgres';

/** The port of the tests' own PostgreSQL cluster, if there is one. */
export const clusterPort = cluster && new URL(cluster).port;

/** Returns the URL of the database that has the same name as the data folder, or undefined on PGlite. */
function databaseUrl(data: string): string | undefined {
  if (cluster === undefined) return undefined;
  const url = new URL(cluster);
  url.pathname = `/${basename(data)}`;
  return url.href;
}

/** Returns the environment variables that name a data folder and its database. */
export function dataEnvironment(data: string): Record<string, string> {
  const url = databaseUrl(data);
  return { EMBEDDED_SUPABASE_DATA: data, ...(url && { DATABASE_URL: url }) };
}

/** Renames settings of the backend to the names that the website uses for them. */
export const siteSettings = (settings: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name.replace(/^EMBEDDED_SUPABASE_/, 'STOPPRESS_'),
      value,
    ]),
  );

/** Runs statements as administrator of the tests' cluster. Does nothing on PGlite. */
export async function runAsAdministrator(work: (sql: Sql) => Promise<void>): Promise<void> {
  if (cluster === undefined) return;
  const sql = postgres(cluster, { max: 1, onnotice: () => {} });
  try {
    await work(sql);
  } finally {
    await sql.end();
  }
}

/** On PostgreSQL, creates the empty database that a backend expects before its first start. */
export const createEmptyDatabase = (data: string) =>
  runAsAdministrator(async (sql) => {
    await sql.unsafe(`create database "${basename(data)}"`);
  });

export const dropDatabase = (data: string) =>
  runAsAdministrator(async (sql) => {
    await sql.unsafe(`drop database if exists "${basename(data)}" with (force)`);
  });

/** The product's own migrations. */
export const MIGRATIONS = resolve('supabase/migrations');

const EMBEDDED = resolve('packages/embedded-supabase/src');
const PREFIX = 'stoppress-template-';
/** The longest full run takes 75 minutes, so a template that is unused for this time belongs to older code. */
const DELETE_AFTER_MS = 2 * 3_600_000;
/** A first start takes about 4 s on two shared cores, and up to a minute on busy ones. */
const LONGEST_BUILD_MS = 110_000;

/** A wait for a SQLite lock blocks the thread. Two waits in one process would therefore never end. */
const claimMutex = new Mutex();

/**
 * Creates a temporary data folder in which these migrations have run. It copies a template, because creating a
 * database takes seconds. The template is created again when the backend or a migration changes. On PostgreSQL the
 * database is copied too.
 */
export async function newDataFolder(migrations = MIGRATIONS): Promise<string> {
  const template = join(tmpdir(), `${PREFIX}${clusterPort ?? 'pglite'}-${await fingerprint(migrations)}`);
  await claimMutex.runExclusive(() => claim(template, migrations));
  return copyData(template);
}

/** Copies a data folder and its database. No backend may run on it. */
export async function copyData(from: string): Promise<string> {
  const data = await mkdtemp(join(tmpdir(), 'stoppress-data-'));
  // `cpSync` takes a quarter of the time of `cp`, which makes several system calls for each of 1,200 files.
  cpSync(from, data, { recursive: true, mode: constants.COPYFILE_FICLONE });
  await runAsAdministrator(async (sql) => {
    await sql.unsafe(`create database "${basename(data)}" template "${basename(from)}"`);
  });
  return data;
}

/** Deletes a data folder and its database. */
export async function removeData(data: string): Promise<void> {
  await rm(data, { recursive: true, force: true });
  await dropDatabase(data);
}

async function fingerprint(migrations: string): Promise<string> {
  // package.json names the versions of the engine and of lite.
  const hash = createHash('sha256').update(await readFile('package.json'));
  for (const folder of [EMBEDDED, migrations]) {
    for (const name of (await readdir(folder, { recursive: true })).sort()) {
      if (/\.(ts|sql)$/.test(name)) hash.update(`${name}\0`).update(await readFile(join(folder, name)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

/**
 * Marks a template as used, and creates it if it is missing. A SQLite lock lets only one process create it. The lock
 * ends with its process.
 */
async function claim(template: string, migrations: string): Promise<void> {
  if (await touch(template)) return;
  const lock = new DatabaseSync(`${template}.lock`, { timeout: LONGEST_BUILD_MS });
  try {
    lock.exec('begin exclusive');
    if (await touch(template)) return;
    await deleteUnused();
    await build(template, migrations);
  } finally {
    lock.close();
  }
}

async function build(template: string, migrations: string): Promise<void> {
  const unfinished = `${template}-building`;
  // An interrupted creation may have left this folder.
  await removeData(unfinished);
  await createEmptyDatabase(unfinished);
  const backend = await startProcess({
    ...dataEnvironment(unfinished),
    EMBEDDED_SUPABASE_MIGRATIONS: migrations,
  });
  await backend.stop();
  // Each backend that starts on a copy creates its own keys.
  for (const name of ['keys.json', 'lock']) await rm(join(unfinished, name));
  await runAsAdministrator(async (sql) => {
    await sql.unsafe(`alter database "${basename(unfinished)}" rename to "${basename(template)}"`);
  });
  await rename(unfinished, template);
}

/** Deletes templates and locks that are unused, also those of interrupted creations. */
async function deleteUnused(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(tmpdir(), name);
    const mtimeMs = (await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now();
    if (Date.now() - mtimeMs <= DELETE_AFTER_MS) continue;
    // The folder is renamed first. Otherwise another process could copy a folder that is partly deleted.
    const deleted = `${path}-deleted-${randomUUID()}`;
    // Another process may have renamed it already.
    await rename(path, deleted).catch(() => undefined);
    await rm(deleted, { recursive: true, force: true });
  }
}

/** Marks a template as used now. @returns whether it exists */
async function touch(template: string): Promise<boolean> {
  const now = new Date();
  return utimes(template, now, now).then(
    () => true,
    () => false,
  );
}

/** The data folder of a newsroom, and the environment that names it. */
export type TestDataFolder = { data: string; environment: Record<string, string> };

/** The engines that a newsroom can move between in this project. */
export const ENGINES: ('pglite' | 'postgres')[] = ENGINE === 'pglite' ? ['pglite'] : ['pglite', 'postgres'];

/** Creates places for newsrooms, and removes them after the tests of a file. */
export function testDataFolders(migrations = MIGRATIONS) {
  const parents: string[] = [];
  const used: string[] = [];
  const placeOf = (data: string): TestDataFolder => {
    used.push(data);
    return { data, environment: { ...dataEnvironment(data), EMBEDDED_SUPABASE_MIGRATIONS: migrations } };
  };
  return {
    async missing(engine: 'pglite' | 'postgres' = ENGINE): Promise<TestDataFolder> {
      const parent = await mkdtemp(join(tmpdir(), 'stoppress-place-'));
      parents.push(parent);
      // On PostgreSQL the database has the folder's name, which must be unique.
      const data = join(parent, basename(parent));
      used.push(data);
      const where = engine === 'pglite' ? { EMBEDDED_SUPABASE_DATA: data } : dataEnvironment(data);
      return { data, environment: { ...where, EMBEDDED_SUPABASE_MIGRATIONS: migrations } };
    },
    /** Creates a place whose database has these migrations and no rows. */
    migrated: async () => placeOf(await newDataFolder(migrations)),
    /** Copies a newsroom that is not running. */
    copyOf: async ({ data }: TestDataFolder) => placeOf(await copyData(data)),
    async remove() {
      for (const data of used.splice(0)) await removeData(data);
      for (const parent of parents.splice(0)) await rm(parent, { recursive: true, force: true });
    },
  };
}
