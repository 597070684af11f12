import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { FileStore } from '@tus/file-store';
import { ERRORS, type Lock, Upload } from '@tus/server';
import type { Reservation, Uploader } from './files.ts';

/** How long an upload is kept after it was created: as long as on hosted. */
export const PART_LIFETIME_MS = 24 * 60 * 60 * 1000;

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
export type Part = Intent & {
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
export class Parts extends FileStore {
  readonly #notes: Notes;

  private constructor(folder: string, notes: Notes) {
    super({ directory: folder, configstore: notes, expirationPeriodInMilliseconds: PART_LIFETIME_MS });
    this.#notes = notes;
  }

  /** Opens the folder, creates it if it is missing, and deletes expired uploads. */
  static async open(folder: string): Promise<Parts> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const parts = new Parts(folder, await Notes.read(folder));
    await parts.sweep();
    await parts.#removeStrays();
    return parts;
  }

  /**
   * Returns a random id for a new upload, and reserves its space. The reservation ends when the upload is created or
   * dismissed.
   */
  expect(intent: Intent): string {
    const id = randomUUID();
    this.#notes.expected.set(id, intent);
    return id;
  }

  /** Releases the reservation of an upload that was refused. An upload that was created stays. */
  dismiss(id: string): void {
    this.#notes.expected.delete(id);
  }

  find(id: string): Part | undefined {
    return this.#notes.of.get(id);
  }

  /** Returns the unfinished uploads of one owner, oldest first. */
  heldBy(owner: string): Part[] {
    return this.#unfinished()
      .filter((part) => part.owner === owner)
      .sort((a, b) => a.beganAt.localeCompare(b.beganAt));
  }

  /** Returns the maximum bytes of all unfinished uploads, and of those that are not created yet. */
  get promised(): Reservation {
    const promised = { person: 0, signature: 0 };
    for (const { by, room } of [...this.#unfinished(), ...this.#notes.expected.values()])
      promised[by] += room;
    return promised;
  }

  #unfinished(): Part[] {
    return [...this.#notes.of.values()].filter((part) => !part.finished);
  }

  /** Returns the maximum bytes of an upload. */
  roomFor(id: string): number {
    return (this.find(id) ?? this.#notes.expected.get(id))?.room ?? 0;
  }

  pathOf(id: string): string {
    return join(this.directory, id);
  }

  /** Marks an upload as finished and deletes its file, because its bytes are an object now. */
  async finish(id: string): Promise<void> {
    const part = this.find(id);
    if (part) await this.#notes.keep({ ...part, finished: true });
    await rm(this.pathOf(id), { force: true });
  }

  override async getUpload(id: string): Promise<Upload> {
    const part = this.find(id);
    if (!part?.finished) return super.getUpload(id);
    return new Upload({ ...uploadOf(part), offset: part.size ?? 0 });
  }

  override async remove(id: string): Promise<void> {
    if (!this.find(id)) throw ERRORS.FILE_NOT_FOUND;
    await rm(this.pathOf(id), { force: true });
    await this.#notes.delete(id);
  }

  /** Deletes expired uploads. @param isBusy true for uploads that receive data at the moment */
  async sweep(isBusy: (id: string) => boolean = () => false, now = Date.now()): Promise<void> {
    for (const { id, beganAt } of [...this.#notes.of.values()]) {
      if (now - Date.parse(beganAt) > PART_LIFETIME_MS && !isBusy(id)) await this.remove(id);
    }
  }

  /** Deletes signed uploads that are older than `EMPTY_LIFETIME_MS` and have received no bytes. */
  async sweepEmpty(isBusy: (id: string) => boolean, now = Date.now()): Promise<void> {
    for (const { id, by, beganAt } of this.#unfinished()) {
      if (by !== 'signature' || now - Date.parse(beganAt) < EMPTY_LIFETIME_MS) continue;
      const { offset } = await this.getUpload(id);
      if (offset === 0 && !isBusy(id) && this.find(id)) await this.remove(id);
    }
  }

  /** Deletes files that have no complete note, because a process ended between two writes. */
  async #removeStrays(): Promise<void> {
    for (const name of await readdir(this.directory)) {
      const known = this.find(name.replace(/\.json$/, ''));
      if (!known) await rm(join(this.directory, name), { force: true });
    }
  }
}

/** Notes on all uploads: the `<id>.json` files, in memory and on the disk. */
class Notes {
  readonly of = new Map<string, Part>();
  readonly expected = new Map<string, Intent>();
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async read(folder: string): Promise<Notes> {
    const notes = new Notes(folder);
    for (const name of await readdir(folder)) {
      const part = name.endsWith('.json') ? await readNote(join(folder, name)) : undefined;
      if (part) notes.of.set(part.id, part);
    }
    return notes;
  }

  async get(id: string): Promise<Upload | undefined> {
    const part = this.of.get(id);
    return part && new Upload({ ...uploadOf(part), offset: 0 });
  }

  /** Called by the TUS store when an upload is created, and when its length is declared. */
  async set(id: string, { size, metadata, creation_date }: Upload): Promise<void> {
    const known = this.of.get(id) ?? this.expected.get(id);
    if (!known) throw ERRORS.FILE_NOT_FOUND;
    const beganAt = creation_date ?? new Date().toISOString();
    await this.keep({ finished: false, ...known, id, size, metadata, beganAt });
    this.expected.delete(id);
  }

  async delete(id: string): Promise<void> {
    this.of.delete(id);
    await rm(this.#path(id), { force: true });
  }

  async keep(part: Part): Promise<void> {
    const path = this.#path(part.id);
    // Written to a temporary file and renamed, so that readers never see half of it.
    const fresh = `${path}.${randomUUID()}.new`;
    await writeFile(fresh, JSON.stringify(part), { mode: 0o600 });
    await rename(fresh, path);
    this.of.set(part.id, part);
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}

const uploadOf = ({ id, size, metadata, beganAt }: Part) => ({ id, size, metadata, creation_date: beganAt });

/** Reads a note. @returns undefined for an incomplete note, left by a power failure */
async function readNote(path: string): Promise<Part | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Part;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** In milliseconds. */
const TIMES = {
  /** How long a request waits for another request that works on the same upload. */
  waitMs: 15_000,
  /** A request that has received no data for this long has lost its connection. */
  quiet: 3_000,
  /** Interval at which a waiting request checks this. */
  look: 250,
};

/** An error of the kind that @tus/server throws. tus-js-client retries after it. */
const BUSY = { status_code: 423, body: 'The upload is busy. Try again in a moment.\n' };

type Turn = { makeRoom: () => void | Promise<void>; over: Promise<void>; end: () => void; movedAt: number };

/**
 * Creates locks that allow one request at a time for each upload. An earlier request that receives no more data has
 * lost its client, so the lock ends it.
 */
export function openUploadLocks(times = TIMES) {
  const turns = new Map<string, Turn>();
  return {
    /** Returns true while a request works on this upload. */
    isBusy: (id: string) => turns.has(id),
    /** Call this when an upload has received bytes. */
    saw(id: string) {
      const turn = turns.get(id);
      if (turn) turn.movedAt = performance.now();
    },
    newLock: (id: string): Lock => ({
      async lock(signal, makeRoom) {
        const deadline = performance.now() + times.waitMs;
        for (let before = turns.get(id); before; before = turns.get(id)) {
          if (signal.aborted || performance.now() > deadline) throw BUSY;
          if (performance.now() - before.movedAt > times.quiet) await before.makeRoom();
          await Promise.race([before.over, wait(times.look)]);
        }
        const { promise, resolve } = Promise.withResolvers<void>();
        turns.set(id, { makeRoom, over: promise, end: resolve, movedAt: performance.now() });
      },
      async unlock() {
        const turn = turns.get(id);
        turns.delete(id);
        turn?.end();
      },
    }),
  };
}
