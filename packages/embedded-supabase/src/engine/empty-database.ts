import { randomUUID } from 'node:crypto';
import { constants, cpSync, existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { syncEntries, syncFolder } from '../data-folder.ts';
import { PGLITE_RELEASE } from './pglite-release.ts';
import { PgliteThread } from './pglite-thread.ts';

const PGLITE_PATH = fileURLToPath(import.meta.resolve('@electric-sql/pglite'));

/** Folder in `.cache` of the `node_modules` in which PGlite is installed. */
const CACHE = join(
  PGLITE_PATH.slice(0, PGLITE_PATH.lastIndexOf('node_modules')),
  'node_modules/.cache/embedded-supabase',
);

/**
 * Writes the files of an empty database into a new folder, without syncing that folder.
 *
 * PostgreSQL's `initdb` in PGlite takes about ten seconds of processor time, and its result is always the same. So the
 * first result is cached beside the installed packages, and later databases are copies of it. If it cannot be cached,
 * `initdb` runs each time.
 * @param cache folder in which the empty database is cached
 * @throws if the disk is full
 */
export async function writeEmptyDatabase(folder: string, cache = CACHE): Promise<void> {
  const cached = await cacheEmptyDatabase(cache).catch(() => undefined);
  if (cached) cpSync(cached, folder, { recursive: true, mode: constants.COPYFILE_FICLONE });
  else await initialize(folder);
}

/** Returns the folder of the cached empty database, and creates it if there is none. */
async function cacheEmptyDatabase(cache: string): Promise<string> {
  const cached = join(cache, `database-${PGLITE_RELEASE.version}`);
  if (existsSync(cached)) return cached;
  const temporary = `${cached}-${randomUUID()}`;
  await mkdir(cache, { recursive: true });
  try {
    await initialize(temporary);
    // Later starts trust the cached files.
    await syncFolder(temporary);
    // Another process may have been faster.
    await rename(temporary, cached).catch((error: unknown) => {
      if (!existsSync(cached)) throw error;
    });
    await syncEntries(cache);
    return cached;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function initialize(folder: string): Promise<void> {
  const thread = await PgliteThread.start(folder, { onEvent() {}, onEnd() {} });
  await thread.call({ kind: 'close' });
  await thread.terminate();
}
