import { createHash, randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { copyFile, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncEntries, undefinedIfMissing } from '../data-folder.ts';
import { backendLog } from '../log/log.ts';
import { StorageError } from './errors.ts';

/** How long an unfinished upload may receive no data, and a file may have no row, before the sweep deletes it. */
const MAX_IDLE_MS = 24 * 60 * 60 * 1000;

const VERSION = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export type Files = Awaited<ReturnType<typeof openFiles>>;

/**
 * Opens the files of objects. The name of a file is its version, which the object's row contains. A file never changes:
 * a new upload is a new version.
 * @param data the data folder, which the caller has locked
 * @param readFreeBytes returns the free bytes of the folder's disk
 */
export async function openFiles(data: string, readFreeBytes = () => freeBytes(data)) {
  const uploadsFolder = join(data, 'uploads');
  const diskSpace = openDiskSpace(readFreeBytes);
  const pathOf = (version: string) => {
    // A migration may have written the row, with any text as version.
    if (!VERSION.test(version)) throw Object.assign(new Error('No file has this name.'), { code: 'ENOENT' });
    return join(data, 'files', version.slice(0, 2), version);
  };
  /**
   * Reserves disk space and returns a path for a new file. `discard` deletes the file and releases the space.
   * @throws StorageError if the disk has no space for the bytes
   */
  const newUploadFile = async (bytes: number, uploader: Uploader) => {
    const releaseSpace = await diskSpace.reserve(bytes, uploader);
    const path = join(uploadsFolder, randomUUID());
    const discard = () => rm(path, { force: true }).finally(releaseSpace);
    return { path, discard };
  };
  let holdCount = 0;
  /** Files to delete once no hold is left. */
  let deferred: string[] = [];
  const remove = async (versions: string[]) => {
    for (const version of versions) {
      await rm(pathOf(version), { force: true });
      diskSpace.removeStored(version);
    }
  };
  await mkdir(uploadsFolder, { recursive: true, mode: 0o700 });

  return {
    /** Folder of unfinished uploads, on the same disk. Backups leave it out. */
    uploadsFolder,
    diskSpace,
    newUploadFile,
    /** Moves a complete file to its place and syncs it to disk. @returns its version */
    async store(path: string, uploader: Uploader): Promise<string> {
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
      const created = await mkdir(folder, { recursive: true, mode: 0o700 });
      await rename(path, pathOf(version));
      if (uploader === 'signature') diskSpace.addStored(version, size);
      await syncEntries(folder);
      if (created) await syncEntries(dirname(folder));
      if (created && created !== folder) await syncEntries(data);
      return version;
    },
    /** Undoes `store` after the row was rejected. */
    async undoStore(version: string, path: string): Promise<void> {
      await rename(pathOf(version), path);
      diskSpace.removeStored(version);
    },
    /** Opens a file for reading. @throws ENOENT */
    open: async (version: string) => open(pathOf(version)),
    /** Copies a file to a new upload file. @throws ENOENT, or StorageError if the disk has no space */
    async copy(version: string) {
      const { size } = await stat(pathOf(version));
      const uploadFile = await newUploadFile(size, 'person');
      try {
        await copyFile(pathOf(version), uploadFile.path, constants.COPYFILE_FICLONE);
        return uploadFile;
      } catch (error) {
        await uploadFile.discard();
        throw error;
      }
    },
    /** Deletes files without a row. Open downloads continue. */
    async delete(versions: (string | null)[]): Promise<void> {
      const validVersions = versions.filter(
        (version) => version !== null && VERSION.test(version),
      ) as string[];
      if (holdCount > 0) deferred.push(...validVersions);
      else await remove(validVersions);
    },
    /** Defers deletions while a backup reads files. @returns a function that ends the hold */
    deferDeletions(): () => Promise<void> {
      holdCount++;
      return async () => {
        holdCount--;
        if (holdCount > 0) return;
        const versionsToRemove = deferred;
        deferred = [];
        await remove(versionsToRemove);
      };
    },
    /**
     * Deletes leftovers of a killed process: abandoned uploads, and files without a row.
     * @param hasRow returns the versions that have a row
     */
    async deleteOrphans(
      hasRow: (versions: string[]) => Promise<Set<string>>,
      now = Date.now(),
    ): Promise<void> {
      if (holdCount > 0) return;
      for (const name of await oldFiles(uploadsFolder, now))
        await rm(join(uploadsFolder, name), { force: true });
      for (const shard of await foldersOf(join(data, 'files'))) {
        const versions = (await oldFiles(shard, now)).filter((name) => VERSION.test(name));
        const withRow = versions.length > 0 ? await hasRow(versions) : new Set();
        await remove(versions.filter((version) => !withRow.has(version)));
      }
    },
  };
}

const foldersOf = async (folder: string) =>
  (await entriesOf(folder)).filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));

/** Returns the names of the files in a folder that have not changed for `MAX_IDLE_MS`. */
async function oldFiles(folder: string, now: number): Promise<string[]> {
  const oldNames: string[] = [];
  for (const entry of await entriesOf(folder)) {
    if (!entry.isFile()) continue;
    const stats = await stat(join(folder, entry.name)).catch(() => undefined);
    // Moving a file changes its ctime but not its mtime, so the later of the two counts.
    if (stats && Math.max(stats.mtimeMs, stats.ctimeMs) < now - MAX_IDLE_MS) oldNames.push(entry.name);
  }
  return oldNames;
}

const entriesOf = async (folder: string) =>
  (await undefinedIfMissing(readdir(folder, { withFileTypes: true }))) ?? [];

/** Returns the size in bytes, and the ETag: the MD5 in hexadecimal and in quotes, as in S3. */
export async function sizeAndETag(path: string): Promise<{ size: number; eTag: string }> {
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
export type ReservedBytes = Record<Uploader, number>;

/** Bytes that uploads must leave free: without disk space the database rejects writes. */
const RESERVED_BYTES = 512 * 1024 * 1024;

/**
 * Share of the free space that signed uploads may use: anonymous uploads must leave space for the project's own.
 * Their stored files count too, if they were uploaded since the process started and still exist.
 */
const SHARE_OF_SIGNATURES = 0.25;

/** Reserves disk space for uploads. */
function openDiskSpace(readFreeBytes: () => Promise<number>) {
  const reserved: ReservedBytes = { person: 0, signature: 0 };
  const otherReservations: (() => ReservedBytes)[] = [];
  const storedBytes = new Map<string, number>();
  const reservedFor = (uploader: Uploader) =>
    otherReservations.reduce((sum, readReserved) => sum + readReserved()[uploader], reserved[uploader]);

  return {
    /**
     * Reserves space for an upload.
     * @returns a function that releases the reservation
     * @throws StorageError if the disk has no space
     */
    async reserve(bytes: number, uploader: Uploader): Promise<() => void> {
      const available = (await readFreeBytes()) - RESERVED_BYTES;
      const [personBytes, signatureBytes] = [reservedFor('person'), reservedFor('signature')];
      if (personBytes + signatureBytes + bytes > available)
        throw insufficientStorage('The disk is nearly full');
      const stored = [...storedBytes.values()].reduce((sum, size) => sum + size, 0);
      const share = SHARE_OF_SIGNATURES * (available - personBytes + stored);
      if (uploader === 'signature' && signatureBytes + stored + bytes > share)
        throw insufficientStorage('Signed uploads fill their share');
      reserved[uploader] += bytes;
      let isReserved = true;
      return () => {
        if (isReserved) reserved[uploader] -= bytes;
        isReserved = false;
      };
    },
    /** Includes the reservations that another module keeps. */
    includeReservations: (readReserved: () => ReservedBytes) => void otherReservations.push(readReserved),
    /** Counts a stored file of a signed upload until it is deleted. */
    addStored: (version: string, bytes: number) => void storedBytes.set(version, bytes),
    removeStored: (version: string) => void storedBytes.delete(version),
  };
}

/** Returns the free bytes on the disk of a folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

function insufficientStorage(reason: string): StorageError {
  backendLog.error(`${reason}: a file was not stored.`);
  return new StorageError(507, 'InsufficientStorage', 'There is no room for another file at the moment.');
}
