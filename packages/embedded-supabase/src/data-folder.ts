import { readFileSync } from 'node:fs';
import { open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from './start-error.ts';

/** Files that are put on the disk at once. A disk does several as fast as one, and a database has a thousand. */
const SYNCS_AT_ONCE = 32;

/** Puts every file of a folder on the disk. PGlite makes a new database without one fsync. */
export async function syncFolder(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name));
  for (let n = 0; n < paths.length; n += SYNCS_AT_ONCE) {
    await Promise.all(paths.slice(n, n + SYNCS_AT_ONCE).map(sync));
  }
}

/** Puts the names in a folder on the disk, as a renaming leaves them. */
export const syncEntries = (folder: string) => sync(folder);

async function sync(path: string): Promise<void> {
  const handle = await open(path);
  await handle.sync();
  await handle.close();
}

/** Where SQLite keeps `user_version`, a big-endian integer, in the header of its file. */
const USER_VERSION_OFFSET = 60;
const SQLITE_BUSY = 5;

/** Another process has the folder. */
export class FolderInUse extends StartError {
  override name = 'FolderInUse';
  readonly holder: number | undefined;
  constructor(folder: string, holder: number | undefined) {
    super(
      `${folder} is in use by process ${holder ?? 'unknown'}: stop that one first, or name another folder.`,
    );
    this.holder = holder;
  }
}

/**
 * Locks a data folder, because two PGlites in one folder corrupt it. SQLite's file lock ends with the process. The pid is in the
 * header of the file, which is readable while locked. This process must not open the file again: closing it would unlock.
 * @returns unlocks the folder
 * @throws FolderInUse
 */
export function lockFolder(folder: string): () => void {
  const path = join(folder, 'lock');
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec(
      `pragma locking_mode = exclusive; begin exclusive; pragma user_version = ${process.pid}; commit`,
    );
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new FolderInUse(folder, holder(path));
  }
  return () => database.close();
}

function holder(path: string): number | undefined {
  const header = readFileSync(path);
  return header.length > USER_VERSION_OFFSET + 4 ? header.readUInt32BE(USER_VERSION_OFFSET) : undefined;
}

/** Writes a file that only its owner may read, whole or not at all, and on the disk when this returns. */
export async function writePrivate(path: string, value: object): Promise<void> {
  await writeFile(`${path}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
  await syncEntries(dirname(path));
}

/** The value of such a file, or undefined where there is none. */
export async function readPrivate(path: string): Promise<unknown> {
  const text = await ifExists(readFile(path, 'utf8'));
  return text === undefined ? undefined : JSON.parse(text);
}

/** The result of a file operation, or undefined if the file or folder does not exist. */
export async function ifExists<Result>(operation: Promise<Result>): Promise<Result | undefined> {
  try {
    return await operation;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Record in the data folder that its data is being moved, or has been moved, to a project. */
type Mark = { to: string; at: string; done: boolean };

const markOf = (data: string) => join(data, 'moved.json');

/** From here on this newsroom does not start: of two that are live, people would write in both. */
export const markMoving = (data: string, to: string): Promise<void> =>
  writePrivate(markOf(data), { to, at: new Date().toISOString(), done: false } satisfies Mark);

export const markMoved = (data: string, to: string): Promise<void> =>
  writePrivate(markOf(data), { to, at: new Date().toISOString(), done: true } satisfies Mark);

/** For a move of which nothing has come. */
export const unmarkMoving = (data: string): Promise<void> => rm(markOf(data), { force: true });

/** Address of the project that the data was or is being moved to. */
export const movedTo = async (data: string): Promise<string | undefined> =>
  ((await readPrivate(markOf(data))) as Mark | undefined)?.to;

/** @throws StartError when the newsroom of this folder lives elsewhere, or may */
export async function refuseMoved(data: string): Promise<void> {
  const mark = (await readPrivate(markOf(data))) as Mark | undefined;
  if (!mark) return;
  const what = mark.done ? `moved to ${mark.to}` : `was being moved to ${mark.to}, which may have its rows`;
  throw new StartError(
    `The newsroom of ${data} ${what} (${mark.at}). ${mark.done ? 'Start the site with PUBLIC_SUPABASE_URL.' : 'Run `embedded-supabase move` again.'} To have it back here, delete ${markOf(data)}: what was written there meanwhile is not here.`,
  );
}
