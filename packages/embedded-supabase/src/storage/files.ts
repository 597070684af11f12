import { createHash, randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { copyFile, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ifExists, syncEntries } from '../data-folder.ts';
import { log } from '../log/log.ts';
import { StorageError } from './errors.ts';

/** How long an unfinished upload may receive no data, and a file may have no row, before the sweep deletes it. */
const LONGEST_REST_MS = 24 * 60 * 60 * 1000;

const VERSION = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export type Files = Awaited<ReturnType<typeof openFiles>>;

/**
 * Opens the files of objects. The name of a file is its version, which the object's row contains. A file never changes:
 * a new upload is a new version.
 * @param data the data folder, which the caller has locked
 * @param free returns the free bytes of the folder's disk
 */
export async function openFiles(data: string, free = () => freeBytes(data)) {
  const parts = join(data, 'uploads');
  const room = openDiskSpace(free);
  const pathOf = (version: string) => {
    // A migration may have written the row, with any text as version.
    if (!VERSION.test(version)) throw Object.assign(new Error('No file has this name.'), { code: 'ENOENT' });
    return join(data, 'files', version.slice(0, 2), version);
  };
  /**
   * Reserves disk space and returns a path for a new file. `discard` deletes the file and releases the space.
   * @throws StorageError if the disk has no space for the bytes
   */
  const newPart = async (bytes: number, by: Uploader) => {
    const giveBack = await room.promise(bytes, by);
    const path = join(parts, randomUUID());
    const discard = () => rm(path, { force: true }).finally(giveBack);
    return { path, discard };
  };
  let holders = 0;
  /** Files to delete once no hold is left. */
  let waiting: string[] = [];
  const remove = async (versions: string[]) => {
    for (const version of versions) {
      await rm(pathOf(version), { force: true });
      room.gone(version);
    }
  };
  await mkdir(parts, { recursive: true, mode: 0o700 });

  return {
    /** Folder of unfinished uploads, on the same disk. Backups leave it out. */
    parts,
    room,
    newPart,
    /** Moves a complete file to its place and syncs it to disk. @returns its version */
    async adopt(path: string, by: Uploader): Promise<string> {
      const version = randomUUID();
      const file = await open(path, 'r+');
      let size = 0;
      try {
        ({ size } = await file.stat());
        await file.sync();
      } finally {
        await file.close();
      }
      const folder = dirname(pathOf(version));
      const made = await mkdir(folder, { recursive: true, mode: 0o700 });
      await rename(path, pathOf(version));
      if (by === 'signature') room.brought(version, size);
      await syncEntries(folder);
      if (made) await syncEntries(dirname(folder));
      if (made && made !== folder) await syncEntries(data);
      return version;
    },
    /** Undoes `adopt` after the row was rejected. */
    async release(version: string, path: string): Promise<void> {
      await rename(pathOf(version), path);
      room.gone(version);
    },
    /** Opens a file for reading. @throws ENOENT */
    open: async (version: string) => open(pathOf(version)),
    /** Copies a file to a new part. @throws ENOENT, or StorageError if the disk has no space */
    async copy(version: string) {
      const { size } = await stat(pathOf(version));
      const part = await newPart(size, 'person');
      try {
        await copyFile(pathOf(version), part.path, constants.COPYFILE_FICLONE);
        return part;
      } catch (error) {
        await part.discard();
        throw error;
      }
    },
    /** Deletes files without a row. Open downloads continue. */
    async forget(versions: (string | null)[]): Promise<void> {
      const ours = versions.filter((version) => version !== null && VERSION.test(version)) as string[];
      if (holders > 0) waiting.push(...ours);
      else await remove(ours);
    },
    /** Defers deletions while a backup reads files. @returns a function that ends the hold */
    hold(): () => Promise<void> {
      holders++;
      return async () => {
        holders--;
        if (holders > 0) return;
        const forgotten = waiting;
        waiting = [];
        await remove(forgotten);
      };
    },
    /**
     * Deletes leftovers of a killed process: abandoned parts, and files without a row.
     * @param hasRow returns the versions that have a row
     */
    async sweep(hasRow: (versions: string[]) => Promise<Set<string>>, now = Date.now()): Promise<void> {
      if (holders > 0) return;
      for (const name of await oldFiles(parts, now)) await rm(join(parts, name), { force: true });
      for (const shard of await foldersOf(join(data, 'files'))) {
        const versions = (await oldFiles(shard, now)).filter((name) => VERSION.test(name));
        const kept = versions.length > 0 ? await hasRow(versions) : new Set();
        await remove(versions.filter((version) => !kept.has(version)));
      }
    },
  };
}

const foldersOf = async (folder: string) =>
  (await entriesOf(folder)).filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));

/** Returns the names of the files in a folder that have not changed for `LONGEST_REST_MS`. */
async function oldFiles(folder: string, now: number): Promise<string[]> {
  const old: string[] = [];
  for (const entry of await entriesOf(folder)) {
    if (!entry.isFile()) continue;
    const about = await stat(join(folder, entry.name)).catch(() => undefined);
    // Moving a file changes its ctime but not its mtime, so the later of the two counts.
    if (about && Math.max(about.mtimeMs, about.ctimeMs) < now - LONGEST_REST_MS) old.push(entry.name);
  }
  return old;
}

const entriesOf = async (folder: string) => (await ifExists(readdir(folder, { withFileTypes: true }))) ?? [];

/** Returns the size in bytes, and the ETag: the MD5 in hexadecimal and in quotes, as in S3. */
export async function measure(path: string): Promise<{ size: number; eTag: string }> {
  const hash = createHash('md5');
  let size = 0;
  for await (const piece of createReadStream(path)) {
    size += (piece as Buffer).length;
    hash.update(piece as Buffer);
  }
  return { size, eTag: `"${hash.digest('hex')}"` };
}

/** The uploader: a caller with rights of their own, or an anonymous holder of a signed URL. */
export type Uploader = 'person' | 'signature';

/** Bytes that are reserved for unfinished uploads, by kind of uploader. */
export type Reservation = Record<Uploader, number>;

/** Bytes that uploads must leave free: without disk space the database rejects writes. */
const RESERVED_BYTES = 512 * 1024 * 1024;

/**
 * Share of the free space that signed uploads may use: anonymous uploads must leave space for the project's own.
 * Their stored files count too, if they were uploaded since the process started and still exist.
 */
const SHARE_OF_SIGNATURES = 0.25;

/** Reserves disk space for uploads. */
function openDiskSpace(free: () => Promise<number>) {
  const own: Reservation = { person: 0, signature: 0 };
  const others: (() => Reservation)[] = [];
  const kept = new Map<string, number>();
  const promisedTo = (who: Uploader) => others.reduce((sum, count) => sum + count()[who], own[who]);

  return {
    /**
     * Reserves space for an upload.
     * @returns a function that releases the reservation
     * @throws StorageError if the disk has no space
     */
    async promise(bytes: number, by: Uploader): Promise<() => void> {
      const atAll = (await free()) - RESERVED_BYTES;
      const [people, signatures] = [promisedTo('person'), promisedTo('signature')];
      if (people + signatures + bytes > atAll) throw noRoom('The disk is nearly full');
      const filled = [...kept.values()].reduce((sum, size) => sum + size, 0);
      const share = SHARE_OF_SIGNATURES * (atAll - people + filled);
      if (by === 'signature' && signatures + filled + bytes > share)
        throw noRoom('Signed uploads fill their share');
      own[by] += bytes;
      let isHeld = true;
      return () => {
        if (isHeld) own[by] -= bytes;
        isHeld = false;
      };
    },
    /** Includes the reservations that another module keeps. */
    count: (elsewhere: () => Reservation) => void others.push(elsewhere),
    /** Counts a stored file of a signed upload until it is deleted. */
    brought: (version: string, bytes: number) => void kept.set(version, bytes),
    gone: (version: string) => void kept.delete(version),
  };
}

/** Returns the free bytes on the disk of a folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

function noRoom(why: string): StorageError {
  log.error(`${why}: a file was not taken.`);
  return new StorageError(507, 'InsufficientStorage', 'There is no room for another file at the moment.');
}
