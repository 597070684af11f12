import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startProcess } from './backend-process.ts';

const EMBEDDED = resolve('supabase/embedded');
const PREFIX = 'stoppress-template-';
const BUILDING = join(tmpdir(), `${PREFIX}building`);
/** Unused for so long, a template is of code that has changed meanwhile: a whole run of the tests is shorter. */
const FORGET_AFTER_MS = 10 * 60_000;
/** A first start takes about 4 s, on two cores shared with others. */
const LONGEST_BUILD_MS = 90_000;

/**
 * A new temporary data folder on which these migrations have run already: a copy, because making a database
 * takes seconds. The original is made once for all test files, and anew when the backend or a migration changes.
 */
export async function newDataFolder(migrations: string): Promise<string> {
  const template = join(tmpdir(), `${PREFIX}${await fingerprint(migrations)}`);
  await claim(template, migrations);
  const data = await mkdtemp(join(tmpdir(), 'stoppress-data-'));
  await cp(template, data, { recursive: true, mode: constants.COPYFILE_FICLONE });
  return data;
}

async function fingerprint(migrations: string): Promise<string> {
  // package.json for the versions of the engine and of lite.
  const hash = createHash('sha256').update(await readFile('package.json'));
  for (const folder of [EMBEDDED, migrations]) {
    for (const name of (await readdir(folder)).sort()) {
      if (/\.(ts|sql)$/.test(name)) hash.update(`${name}\0`).update(await readFile(join(folder, name)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

/**
 * Marks a template as used now, and makes it first if need be. Under one lock with the forgetting, so that none goes
 * while somebody is about to copy it. The lock is SQLite's: it waits, and it dies with its process.
 */
async function claim(template: string, migrations: string): Promise<void> {
  const lock = new DatabaseSync(join(tmpdir(), 'stoppress-template.lock'), { timeout: LONGEST_BUILD_MS });
  try {
    lock.exec('begin exclusive');
    if (!(await exists(template))) {
      await forgetStale();
      await build(template, migrations);
    }
    const now = new Date();
    await utimes(template, now, now);
  } finally {
    lock.close();
  }
}

async function build(template: string, migrations: string): Promise<void> {
  const backend = await startProcess({ STOPPRESS_DATA: BUILDING, STOPPRESS_MIGRATIONS: migrations });
  await backend.stop();
  // Keys are each backend's own.
  for (const name of ['keys.json', 'lock']) await rm(join(BUILDING, name));
  await rename(BUILDING, template);
}

/** Throws away the templates that nobody has used for a while, and one whose making was broken off. */
async function forgetStale(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(tmpdir(), name);
    const { mtimeMs } = await stat(path);
    if (path === BUILDING || Date.now() - mtimeMs > FORGET_AFTER_MS) await rm(path, { recursive: true });
  }
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );
