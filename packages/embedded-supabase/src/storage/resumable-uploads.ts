import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { FileStore } from '@tus/file-store';
import { ERRORS, type Lock, Upload } from '@tus/server';
import type { ReservedBytes, Uploader } from './files.ts';

/** How long an upload is kept after it was created: as long as on hosted. */
export const UPLOAD_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** How long an empty signed upload keeps its reservation when space is short. */
const EMPTY_LIFETIME_MS = 5 * 60 * 1000;

/** Destination and options of an upload, fixed when it begins. */
type Intent = {
  /** Identifies the uploader. Only the same uploader may continue the upload. */
  owner: string;
  /** The `sub` of the object's owner. */
  ownerId?: string | undefined;
  bucket: string;
  name: string;
  upsert: boolean;
  by: Uploader;
  /** Maximum bytes of the upload. */
  room: number;
};

/** An upload that was created. */
export type ResumableUpload = Intent & {
  id: string;
  /** Total bytes. Unset until the client declares them. */
  size?: number | undefined;
  metadata?: Upload['metadata'];
  /** ISO 8601. */
  beganAt: string;
  /** The bytes have become an object. Only this record remains, for a client that missed the response. */
  finished: boolean;
};

/**
 * Unfinished uploads: `<id>` contains the bytes, `<id>.json` their destination. Backups leave their folder out.
 */
export class ResumableUploadStore extends FileStore {
  readonly #records: UploadRecords;

  private constructor(folder: string, records: UploadRecords) {
    super({ directory: folder, configstore: records, expirationPeriodInMilliseconds: UPLOAD_LIFETIME_MS });
    this.#records = records;
  }

  /** Opens the folder, creates it if it is missing, and deletes expired uploads. */
  static async open(folder: string): Promise<ResumableUploadStore> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const uploads = new ResumableUploadStore(folder, await UploadRecords.read(folder));
    await uploads.deleteExpiredUploads();
    await uploads.#removeStrays();
    return uploads;
  }

  /**
   * Returns a random id for a new upload, and reserves its space. The reservation ends when the upload is created or
   * dismissed.
   */
  reserve(intent: Intent): string {
    const id = randomUUID();
    this.#records.reservations.set(id, intent);
    return id;
  }

  /** Releases the reservation of an upload that was refused. An upload that was created stays. */
  cancelReservation(id: string): void {
    this.#records.reservations.delete(id);
  }

  find(id: string): ResumableUpload | undefined {
    return this.#records.uploads.get(id);
  }

  /** Returns the unfinished uploads of one owner, oldest first. */
  unfinishedOf(owner: string): ResumableUpload[] {
    return this.#unfinished()
      .filter((upload) => upload.owner === owner)
      .sort((a, b) => a.beganAt.localeCompare(b.beganAt));
  }

  /** Returns the maximum bytes of all unfinished uploads, and of those that are not created yet. */
  get reservedBytes(): ReservedBytes {
    const promised = { person: 0, signature: 0 };
    for (const { by, room } of [...this.#unfinished(), ...this.#records.reservations.values()])
      promised[by] += room;
    return promised;
  }

  #unfinished(): ResumableUpload[] {
    return [...this.#records.uploads.values()].filter((upload) => !upload.finished);
  }

  /** Returns the maximum bytes of an upload. */
  maxBytesOf(id: string): number {
    return (this.find(id) ?? this.#records.reservations.get(id))?.room ?? 0;
  }

  pathOf(id: string): string {
    return join(this.directory, id);
  }

  /** Marks an upload as finished and deletes its file, because its bytes are an object now. */
  async markFinished(id: string): Promise<void> {
    const upload = this.find(id);
    if (upload) await this.#records.store({ ...upload, finished: true });
    await rm(this.pathOf(id), { force: true });
  }

  override async getUpload(id: string): Promise<Upload> {
    const upload = this.find(id);
    if (!upload?.finished) return super.getUpload(id);
    return new Upload({ ...uploadOf(upload), offset: upload.size ?? 0 });
  }

  override async remove(id: string): Promise<void> {
    if (!this.find(id)) throw ERRORS.FILE_NOT_FOUND;
    await rm(this.pathOf(id), { force: true });
    await this.#records.delete(id);
  }

  /** Deletes expired uploads. @param isBusy true for uploads that receive data at the moment */
  async deleteExpiredUploads(isBusy: (id: string) => boolean = () => false, now = Date.now()): Promise<void> {
    for (const { id, beganAt } of [...this.#records.uploads.values()]) {
      if (now - Date.parse(beganAt) > UPLOAD_LIFETIME_MS && !isBusy(id)) await this.remove(id);
    }
  }

  /** Deletes signed uploads that are older than `EMPTY_LIFETIME_MS` and have received no bytes. */
  async deleteEmptyUploads(isBusy: (id: string) => boolean, now = Date.now()): Promise<void> {
    for (const { id, by, beganAt } of this.#unfinished()) {
      if (by !== 'signature' || now - Date.parse(beganAt) < EMPTY_LIFETIME_MS) continue;
      const { offset } = await this.getUpload(id);
      if (offset === 0 && !isBusy(id) && this.find(id)) await this.remove(id);
    }
  }

  /** Deletes files that have no complete record, because a process ended between two writes. */
  async #removeStrays(): Promise<void> {
    for (const name of await readdir(this.directory)) {
      const upload = this.find(name.replace(/\.json$/, ''));
      if (!upload) await rm(join(this.directory, name), { force: true });
    }
  }
}

/** Records of all uploads: the `<id>.json` files, in memory and on the disk. */
class UploadRecords {
  readonly uploads = new Map<string, ResumableUpload>();
  readonly reservations = new Map<string, Intent>();
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async read(folder: string): Promise<UploadRecords> {
    const records = new UploadRecords(folder);
    for (const name of await readdir(folder)) {
      const upload = name.endsWith('.json') ? await readRecord(join(folder, name)) : undefined;
      if (upload) records.uploads.set(upload.id, upload);
    }
    return records;
  }

  async get(id: string): Promise<Upload | undefined> {
    const upload = this.uploads.get(id);
    return upload && new Upload({ ...uploadOf(upload), offset: 0 });
  }

  /** Called by the TUS store when an upload is created, and when its length is declared. */
  async set(id: string, { size, metadata, creation_date }: Upload): Promise<void> {
    const existing = this.uploads.get(id) ?? this.reservations.get(id);
    if (!existing) throw ERRORS.FILE_NOT_FOUND;
    const beganAt = creation_date ?? new Date().toISOString();
    await this.store({ finished: false, ...existing, id, size, metadata, beganAt });
    this.reservations.delete(id);
  }

  async delete(id: string): Promise<void> {
    this.uploads.delete(id);
    await rm(this.#path(id), { force: true });
  }

  async store(upload: ResumableUpload): Promise<void> {
    const path = this.#path(upload.id);
    // Written to a temporary file and renamed, so that readers never see half of it.
    const temporaryPath = `${path}.${randomUUID()}.new`;
    await writeFile(temporaryPath, JSON.stringify(upload), { mode: 0o600 });
    await rename(temporaryPath, path);
    this.uploads.set(upload.id, upload);
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}

const uploadOf = ({ id, size, metadata, beganAt }: ResumableUpload) => ({
  id,
  size,
  metadata,
  creation_date: beganAt,
});

/** Reads a record. @returns undefined for an incomplete record, left by a power failure */
async function readRecord(path: string): Promise<ResumableUpload | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as ResumableUpload;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** In milliseconds. */
const TIMEOUTS = {
  /** How long a request waits for another request that works on the same upload. */
  waitMs: 15_000,
  /** A request that has received no data for this long has lost its connection. */
  stalledAfterMs: 3_000,
  /** Interval at which a waiting request checks this. */
  pollIntervalMs: 250,
};

/** An error of the kind that @tus/server throws. tus-js-client retries after it. */
const BUSY_ERROR = { status_code: 423, body: 'The upload is busy. Try again in a moment.\n' };

type UploadLock = {
  requestRelease: () => void | Promise<void>;
  released: Promise<void>;
  release: () => void;
  lastProgressAt: number;
};

/**
 * Creates locks that allow one request at a time for each upload. An earlier request that receives no more data has
 * lost its client, so the lock ends it.
 */
export function openUploadLocks(times = TIMEOUTS) {
  const locks = new Map<string, UploadLock>();
  return {
    /** Returns true while a request works on this upload. */
    isBusy: (id: string) => locks.has(id),
    /** Call this when an upload has received bytes. */
    recordProgress(id: string) {
      const currentLock = locks.get(id);
      if (currentLock) currentLock.lastProgressAt = performance.now();
    },
    newLock: (id: string): Lock => ({
      async lock(signal, requestRelease) {
        const deadline = performance.now() + times.waitMs;
        for (let holder = locks.get(id); holder; holder = locks.get(id)) {
          if (signal.aborted || performance.now() > deadline) throw BUSY_ERROR;
          if (performance.now() - holder.lastProgressAt > times.stalledAfterMs) await holder.requestRelease();
          await Promise.race([holder.released, wait(times.pollIntervalMs)]);
        }
        const { promise, resolve } = Promise.withResolvers<void>();
        locks.set(id, {
          requestRelease,
          released: promise,
          release: resolve,
          lastProgressAt: performance.now(),
        });
      },
      async unlock() {
        const currentLock = locks.get(id);
        locks.delete(id);
        currentLock?.release();
      },
    }),
  };
}
