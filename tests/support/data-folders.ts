import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Mutex } from 'async-mutex';
import postgres, { type Sql } from 'postgres';
import { inject } from 'vitest';
import { startProcess } from './processes.ts';

// A bench runs without the test runner, and on the engine that is brought along.
const cluster = process.env.VITEST ? inject('postgres') : undefined;

/** The engine that this project's backends run on. */
export const ENGINE = cluster === undefined ? 'pglite' : 'postgres';

/** The port of the tests' own PostgreSQL cluster, where there is one. */
export const clusterPort = cluster && new URL(cluster).port;

/** The database that belongs to a data folder of these tests: it has the folder's name. */
function databaseUrl(data: string): string | undefined {
  if (cluster === undefined) return undefined;
  const url = new URL(cluster);
  url.pathname = `/${basename(data)}`;
  return url.href;
}

/** What tells a backend where its data is. */
export function dataEnvironment(data: string): Record<string, string> {
  const url = databaseUrl(data);
  return { STOPPRESS_DATA: data, ...(url && { DATABASE_URL: url }) };
}

/** Does something as the administrator of the tests' cluster; nothing, where there is none. */
export async function administer(work: (sql: Sql) => Promise<void>): Promise<void> {
  if (cluster === undefined) return;
  const sql = postgres(cluster, { max: 1, onnotice: () => {} });
  try {
    await work(sql);
  } finally {
    await sql.end();
  }
}

/** On PostgreSQL, makes the database that a backend finds there before its first start; there is nothing in it. */
export const makeEmptyDatabase = (data: string) =>
  administer(async (sql) => {
    await sql.unsafe(`create database "${basename(data)}"`);
  });

export const dropDatabase = (data: string) =>
  administer(async (sql) => {
    await sql.unsafe(`drop database if exists "${basename(data)}" with (force)`);
  });

/** The product's own migrations. */
export const MIGRATIONS = resolve('supabase/migrations');

const EMBEDDED = resolve('packages/embedded-supabase/src');
const PREFIX = 'stoppress-template-';
const BUILDING = join(tmpdir(), `${PREFIX}building`);
/** Unused for so long, a template is of code that has changed meanwhile: a whole run of the tests is shorter. */
const DELETE_AFTER_MS = 10 * 60_000;
/** A first start takes about 4 s, on two cores shared with others. */
const LONGEST_BUILD_MS = 90_000;

/** SQLite waits for a lock without letting go of the thread: of two in one process, neither would ever get on. */
const claimMutex = new Mutex();

/**
 * A new temporary data folder on which these migrations have run already: a copy, because making a database
 * takes seconds. The original is made once for all test files, and anew when the backend or a migration changes. On
 * PostgreSQL the database of the same name is copied with it.
 */
export async function newDataFolder(migrations = MIGRATIONS): Promise<string> {
  const template = join(tmpdir(), `${PREFIX}${clusterPort ?? 'pglite'}-${await fingerprint(migrations)}`);
  await claimMutex.runExclusive(() => claim(template, migrations));
  return copyData(template);
}

/** A new temporary data folder with what is in this one, which no backend is running on, and in its database. */
export async function copyData(from: string): Promise<string> {
  const data = await mkdtemp(join(tmpdir(), 'stoppress-data-'));
  await cp(from, data, { recursive: true, mode: constants.COPYFILE_FICLONE });
  await administer(async (sql) => {
    await sql.unsafe(`create database "${basename(data)}" template "${basename(from)}"`);
  });
  return data;
}

/** Throws a data folder away, and its database. */
export async function removeData(data: string): Promise<void> {
  await rm(data, { recursive: true, force: true });
  await dropDatabase(data);
}

async function fingerprint(migrations: string): Promise<string> {
  // package.json for the versions of the engine and of lite.
  const hash = createHash('sha256').update(await readFile('package.json'));
  for (const folder of [EMBEDDED, migrations]) {
    for (const name of (await readdir(folder, { recursive: true })).sort()) {
      if (/\.(ts|sql)$/.test(name)) hash.update(`${name}\0`).update(await readFile(join(folder, name)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

/**
 * Marks a template as used now, and makes it first if need be: one maker at a time, under a lock of SQLite's, which
 * waits, and dies with its process.
 */
async function claim(template: string, migrations: string): Promise<void> {
  if (await touch(template)) return;
  const lock = new DatabaseSync(join(tmpdir(), 'stoppress-template.lock'), { timeout: LONGEST_BUILD_MS });
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
  await dropDatabase(BUILDING);
  await administer(async (sql) => {
    await sql.unsafe(`create database "${basename(BUILDING)}"`);
  });
  const backend = await startProcess({ ...dataEnvironment(BUILDING), STOPPRESS_MIGRATIONS: migrations });
  await backend.stop();
  // Keys are each backend's own.
  for (const name of ['keys.json', 'lock']) await rm(join(BUILDING, name));
  await administer(async (sql) => {
    await sql.unsafe(`alter database "${basename(BUILDING)}" rename to "${basename(template)}"`);
  });
  await rename(BUILDING, template);
}

/** Throws away the templates that nobody has used for a while, and one whose making was broken off. */
async function deleteUnused(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(tmpdir(), name);
    const { mtimeMs } = await stat(path);
    if (path === BUILDING || Date.now() - mtimeMs > DELETE_AFTER_MS) await rm(path, { recursive: true });
  }
}

/** Nobody forgets what was used a moment ago. @returns whether it is there */
async function touch(template: string): Promise<boolean> {
  const now = new Date();
  return utimes(template, now, now).then(
    () => true,
    () => false,
  );
}

/** Where a newsroom may be: what a program's environment says of it. */
export type Place = { data: string; environment: Record<string, string> };

/** The engines that a newsroom can move between in this project. */
export const ENGINES: ('pglite' | 'postgres')[] = ENGINE === 'pglite' ? ['pglite'] : ['pglite', 'postgres'];

/** Places that do not exist yet, for one test file. */
export function testPlaces(migrations = MIGRATIONS) {
  const parents: string[] = [];
  const used: string[] = [];
  const placeOf = (data: string): Place => {
    used.push(data);
    return { data, environment: { ...dataEnvironment(data), STOPPRESS_MIGRATIONS: migrations } };
  };
  return {
    async none(engine: 'pglite' | 'postgres' = ENGINE): Promise<Place> {
      const parent = await mkdtemp(join(tmpdir(), 'stoppress-place-'));
      parents.push(parent);
      // On PostgreSQL a database gets the folder's name, so no two may share one.
      const data = join(parent, basename(parent));
      used.push(data);
      const where = engine === 'pglite' ? { STOPPRESS_DATA: data } : dataEnvironment(data);
      return { data, environment: { ...where, STOPPRESS_MIGRATIONS: migrations } };
    },
    /** A place with these migrations, and nothing else in it. */
    fresh: async () => placeOf(await newDataFolder(migrations)),
    /** Another newsroom like this one, which is not running. */
    like: async ({ data }: Place) => placeOf(await copyData(data)),
    async remove() {
      for (const data of used.splice(0)) await removeData(data);
      for (const parent of parents.splice(0)) await rm(parent, { recursive: true, force: true });
    },
  };
}
