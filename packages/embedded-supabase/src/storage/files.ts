import { createHash, randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { copyFile, type FileHandle, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ifExists, syncEntries } from '../data-folder.ts';
import { log } from '../log/log.ts';
import { StorageError } from './errors.ts';

/** A file that is about to be written. */
type NewPart = {
  path: string;
  /** Throws it away, where it has not become a file, and gives its room back. */
  discard(): Promise<void>;
};

/**
 * The bytes of objects on the disk. A file has the name of the version that it is, and nothing of what a person calls
 * it. It never changes: a new upload is a new version.
 */
export type Files = {
  /** Folder of unfinished uploads, on the disk of the files. Backups leave it out. */
  parts: string;
  room: DiskSpace;
  /**
   * A new path within it, for no more than so many bytes.
   * @throws StorageError when there is no room for them
   */
  newPart(bytes: number, by: Uploader): Promise<NewPart>;
  /**
   * Moves a finished file to its place, safe against the end of the machine.
   * @returns its version
   */
  adopt(path: string, by: Uploader): Promise<string>;
  /** Moves it back, when its row was refused. */
  release(version: string, path: string): Promise<void>;
  /** @throws ENOENT */
  open(version: string): Promise<FileHandle>;
  /** A second file of the same bytes, to be adopted. @throws ENOENT, or StorageError when there is no room */
  copy(version: string): Promise<NewPart>;
  /** Throws files away whose rows are gone. Those who are reading them read on. */
  forget(versions: Iterable<string | null>): Promise<void>;
  /**
   * Prevents the deletion of files, while a backup reads those of the current rows.
   * @returns a function that ends it
   */
  hold(): () => Promise<void>;
  /**
   * Deletes leftovers of a process that was killed: abandoned parts, and files without a row.
   * @param hasRow returns the versions that have a row
   */
  sweep(hasRow: (versions: string[]) => Promise<Set<string>>, now?: number): Promise<void>;
};

/** How long an upload may rest, and a file may be waiting for its row. */
const LONGEST_REST_MS = 24 * 60 * 60 * 1000;

const VERSION = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * @param data the data folder, which the caller has taken
 * @param free the bytes that are free there
 */
export async function openFiles(data: string, free = () => freeBytes(data)): Promise<Files> {
  const parts = join(data, 'uploads');
  const room = openDiskSpace(free);
  const place = (version: string) => {
    // A row may have been written by a migration.
    if (!VERSION.test(version)) throw Object.assign(new Error('No file has this name.'), { code: 'ENOENT' });
    return join(data, 'files', version.slice(0, 2), version);
  };
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
      await rm(place(version), { force: true });
      room.gone(version);
    }
  };
  await mkdir(parts, { recursive: true, mode: 0o700 });

  return {
    parts,
    room,
    newPart,
    async adopt(path, by) {
      const version = randomUUID();
      const file = await open(path, 'r+');
      let size = 0;
      try {
        ({ size } = await file.stat());
        await file.sync();
      } finally {
        await file.close();
      }
      const folder = dirname(place(version));
      const made = await mkdir(folder, { recursive: true, mode: 0o700 });
      await rename(path, place(version));
      if (by === 'signature') room.brought(version, size);
      await syncEntries(folder);
      if (made) await syncEntries(dirname(folder));
      if (made && made !== folder) await syncEntries(data);
      return version;
    },
    async release(version, path) {
      await rename(place(version), path);
      room.gone(version);
    },
    open: async (version) => open(place(version)),
    async copy(version) {
      const { size } = await stat(place(version));
      const part = await newPart(size, 'person');
      try {
        await copyFile(place(version), part.path, constants.COPYFILE_FICLONE);
        return part;
      } catch (error) {
        await part.discard();
        throw error;
      }
    },
    async forget(versions) {
      const ours = [...versions]
        .filter((version) => version !== null)
        .filter((version) => VERSION.test(version));
      if (holders > 0) waiting.push(...ours);
      else await remove(ours);
    },
    hold() {
      holders++;
      return async () => {
        holders--;
        if (holders > 0) return;
        const forgotten = waiting;
        waiting = [];
        await remove(forgotten);
      };
    },
    async sweep(hasRow, now = Date.now()) {
      if (holders > 0) return;
      for (const name of await oldFiles(parts, now)) await rm(join(parts, name), { force: true });
      for (const shard of await foldersOf(join(data, 'files'))) {
        const versions = (await oldFiles(shard, now)).filter((name) => VERSION.test(name));
        const kept = versions.length > 0 ? await hasRow(versions) : new Set();
        for (const version of versions)
          if (!kept.has(version)) await rm(join(shard, version), { force: true });
      }
    },
  };
}

const foldersOf = async (folder: string) =>
  (await entriesOf(folder)).filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));

/** The names of the files of a folder that nothing has been done with for long. */
async function oldFiles(folder: string, now: number): Promise<string[]> {
  const old: string[] = [];
  for (const entry of await entriesOf(folder)) {
    if (!entry.isFile()) continue;
    const about = await stat(join(folder, entry.name)).catch(() => undefined);
    // Of a file that was moved in, the change of its name counts.
    if (about && Math.max(about.mtimeMs, about.ctimeMs) < now - LONGEST_REST_MS) old.push(entry.name);
  }
  return old;
}

const entriesOf = async (folder: string) => (await ifExists(readdir(folder, { withFileTypes: true }))) ?? [];

/** Size in bytes and the MD5 that an ETag is made of, as S3 has it. */
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

/** Bytes that are not all there yet, by who brings them. */
export type Reservation = Record<Uploader, number>;

/** The room that there is on the disk for files. */
type DiskSpace = {
  /**
   * Keeps room for so many bytes that are about to come.
   * @returns gives it back: the bytes are there, or will not come
   * @throws StorageError when there is none
   */
  promise(bytes: number, by: Uploader): Promise<() => void>;
  /** Counts what is promised elsewhere too. */
  count(elsewhere: () => Reservation): void;
  /** A file of so many bytes that a signature brought is kept from now on, and then is not. */
  brought(version: string, bytes: number): void;
  gone(version: string): void;
};

/** Bytes that uploads must leave free: without disk space the database rejects writes. */
const RESERVED_BYTES = 512 * 1024 * 1024;

/**
 * Share of the free space that signed uploads may use: anonymous uploads must leave space for the project's own.
 * Counted since the start, for files that still exist.
 */
const SHARE_OF_SIGNATURES = 0.25;

/** @param free the bytes that are free on the disk of the files */
function openDiskSpace(free: () => Promise<number>): DiskSpace {
  const own: Reservation = { person: 0, signature: 0 };
  const others: (() => Reservation)[] = [];
  const kept = new Map<string, number>();
  const promisedTo = (who: Uploader) => others.reduce((sum, count) => sum + count()[who], own[who]);

  return {
    async promise(bytes, by) {
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
    count: (elsewhere) => void others.push(elsewhere),
    brought: (version, bytes) => void kept.set(version, bytes),
    gone: (version) => void kept.delete(version),
  };
}

/** On the disk of a folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

function noRoom(why: string): StorageError {
  log.error(`${why}: a file was not taken.`);
  return new StorageError(507, 'InsufficientStorage', 'There is no room for another file at the moment.');
}
