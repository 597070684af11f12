import { readFileSync } from 'node:fs';
import { open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from './start-error.ts';

/** Files that are synced at once. A disk syncs several as fast as one, and a database has a thousand. */
const SYNCS_AT_ONCE = 32;

/** Syncs a folder with all its files and subfolders to the disk. PGlite creates a new database without any fsync. */
export async function syncFolder(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name));
  paths.push(folder);
  for (let n = 0; n < paths.length; n += SYNCS_AT_ONCE) {
    await Promise.all(paths.slice(n, n + SYNCS_AT_ONCE).map(sync));
  }
}

/** Syncs the entries of a folder to the disk, so that a rename in it survives a crash. */
export const syncEntries = (folder: string) => sync(folder);

async function sync(path: string): Promise<void> {
  const handle = await open(path);
  await handle.sync();
  await handle.close();
}

/** Offset of `user_version`, a big-endian integer, in the header of a SQLite file. */
const USER_VERSION_OFFSET = 60;
const SQLITE_BUSY = 5;

/** Another process has locked the folder. */
export class FolderInUseError extends StartError {
  override name = 'FolderInUseError';
  readonly holderPid: number | undefined;
  constructor(folder: string, holderPid: number | undefined) {
    super(
      `${folder} is in use by process ${holderPid ?? 'unknown'}: stop that one first, or name another folder.`,
    );
    this.holderPid = holderPid;
  }
}

/**
 * Locks a data folder, because two PGlites in one folder corrupt it. SQLite's file lock ends with the process. The pid
 * is in the header of the file, which is readable while locked. This process must not open the file again, because
 * closing it would unlock the folder.
 * @returns a function that unlocks the folder
 * @throws FolderInUseError
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
    throw new FolderInUseError(folder, readHolder(path));
  }
  return () => database.close();
}

function readHolder(path: string): number | undefined {
  const header = readFileSync(path);
  return header.length > USER_VERSION_OFFSET + 4 ? header.readUInt32BE(USER_VERSION_OFFSET) : undefined;
}

/**
 * Writes a value as JSON to a file that only its owner may read. The write is atomic. When this resolves, the file is
 * synced to the disk.
 */
export async function writePrivateJson(path: string, value: object): Promise<void> {
  await writeFile(`${path}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
  await syncEntries(dirname(path));
}

/** Reads the value of a file that `writePrivateJson` wrote, or undefined if there is none. */
export async function readPrivateJson(path: string): Promise<unknown> {
  const text = await undefinedIfMissing(readFile(path, 'utf8'));
  return text === undefined ? undefined : JSON.parse(text);
}

/** Returns the result of a file operation, or undefined if the file or folder does not exist. */
export async function undefinedIfMissing<Result>(operation: Promise<Result>): Promise<Result | undefined> {
  try {
    return await operation;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Record in the data folder that its data is being moved, or has been moved, to a project. */
type MoveRecord = { to: string; at: string; done: boolean };

const moveRecordPath = (data: string) => join(data, 'moved.json');

/**
 * Records that a move has begun. From then on the backend does not start here, because people would write in two live
 * newsrooms.
 */
export const markMoving = (data: string, to: string): Promise<void> =>
  writePrivateJson(moveRecordPath(data), {
    to,
    at: new Date().toISOString(),
    done: false,
  } satisfies MoveRecord);

export const markMoved = (data: string, to: string): Promise<void> =>
  writePrivateJson(moveRecordPath(data), {
    to,
    at: new Date().toISOString(),
    done: true,
  } satisfies MoveRecord);

/** Deletes the record of a move that changed nothing. */
export const unmarkMoving = (data: string): Promise<void> => rm(moveRecordPath(data), { force: true });

/** Returns the address of the project to which the data was or is being moved, if any. */
export const readMoveTarget = async (data: string): Promise<string | undefined> =>
  ((await readPrivateJson(moveRecordPath(data))) as MoveRecord | undefined)?.to;

/** Checks that the data was not moved. @throws StartError if it was, or may have been, moved to a project */
export async function rejectMovedData(data: string): Promise<void> {
  const record = (await readPrivateJson(moveRecordPath(data))) as MoveRecord | undefined;
  if (!record) return;
  const state = record.done
    ? `moved to ${record.to}`
    : `was being moved to ${record.to}, which may have its rows`;
  throw new StartError(
    `The newsroom of ${data} ${state} (${record.at}). ${record.done ? 'Start the site with PUBLIC_SUPABASE_URL.' : 'Run `embedded-supabase move` again.'} To have it back here, delete ${moveRecordPath(data)}: what was written there meanwhile is not here.`,
  );
}
