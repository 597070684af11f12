import { randomUUID } from 'node:crypto';
import { constants, cpSync, existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGLITE } from './pglite-release.ts';
import { PgliteThread } from './pglite-thread.ts';

/** `node_modules/.cache`, of the `node_modules` that PGlite is installed in. */
const CACHE = join(
  dirname(fileURLToPath(import.meta.resolve('@electric-sql/pglite'))),
  '../../../.cache/embedded-supabase',
);

/**
 * Writes the files of an empty database into a new folder, without fsync.
 *
 * PostgreSQL's `initdb` in PGlite takes some ten seconds of processor time, and its result is always the same. So the
 * first one is kept beside the installed packages, and later databases are copies of it. Where nothing can be kept,
 * `initdb` runs each time.
 * @param cache the folder in which the empty database is kept
 * @throws when the disk has no room
 */
export async function writeEmptyDatabase(folder: string, cache = CACHE): Promise<void> {
  const kept = await keepEmptyDatabase(cache).catch(() => undefined);
  if (kept) cpSync(kept, folder, { recursive: true, mode: constants.COPYFILE_FICLONE });
  else await initialize(folder);
}

/** @returns the folder of an empty database, which is made if there is none */
async function keepEmptyDatabase(cache: string): Promise<string> {
  const kept = join(cache, `database-${PGLITE.version}`);
  if (existsSync(kept)) return kept;
  const making = `${kept}-${randomUUID()}`;
  await mkdir(cache, { recursive: true });
  try {
    await initialize(making);
    // Another process may have been faster.
    await rename(making, kept).catch((error: unknown) => {
      if (!existsSync(kept)) throw error;
    });
    return kept;
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

async function initialize(folder: string): Promise<void> {
  const thread = await PgliteThread.start(folder, { onEvent() {}, onEnd() {} });
  await thread.call({ kind: 'close' });
  await thread.terminate();
}
