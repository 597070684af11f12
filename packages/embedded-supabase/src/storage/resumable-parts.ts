import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { FileStore } from '@tus/file-store';
import { ERRORS, type Lock, Upload } from '@tus/server';
import type { Reservation, Uploader } from './files.ts';

/** How long an unfinished upload is kept without activity: as long as on hosted. */
export const PART_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** How long an empty signed upload keeps its reservation when space is short. */
const EMPTY_LIFETIME_MS = 5 * 60 * 1000;

/** Destination and options of an upload, fixed when it begins. */
type Intent = {
  /** The uploader. Only this person may continue. */
  owner: string;
  /** The `sub` that its object gets. */
  ownerId?: string | undefined;
  bucket: string;
  name: string;
  upsert: boolean;
  by: Uploader;
  /** The bytes that it may grow to. */
  room: number;
};

/** An upload that was begun. */
export type Part = Intent & {
  id: string;
  /** Unset while its sender does not know. */
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

  /** A random id for a new upload. */
  expect(intent: Intent): string {
    const id = randomUUID();
    this.#notes.expected.set(id, intent);
    return id;
  }

  /** It was refused after all; one that was created stays. */
  dismiss(id: string): void {
    this.#notes.expected.delete(id);
  }

  find(id: string): Part | undefined {
    return this.#notes.of.get(id);
  }

  /** Those of one owner that are not finished, the oldest first. */
  heldBy(owner: string): Part[] {
    return this.#unfinished()
      .filter((part) => part.owner === owner)
      .sort((a, b) => a.beganAt.localeCompare(b.beganAt));
  }

  /** The bytes that all unfinished uploads may grow to, with those that are about to begin. */
  get promised(): Reservation {
    const promised = { person: 0, signature: 0 };
    for (const { by, room } of [...this.#unfinished(), ...this.#notes.expected.values()])
      promised[by] += room;
    return promised;
  }

  #unfinished(): Part[] {
    return [...this.#notes.of.values()].filter((part) => !part.finished);
  }

  /** The bytes that an upload may grow to. */
  roomFor(id: string): number {
    return (this.find(id) ?? this.#notes.expected.get(id))?.room ?? 0;
  }

  pathOf(id: string): string {
    return join(this.directory, id);
  }

  /** Its bytes are an object now. */
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

  /** Throws away what signatures began some minutes ago without a byte. */
  async sweepEmpty(isBusy: (id: string) => boolean, now = Date.now()): Promise<void> {
    for (const { id, by, beganAt } of this.#unfinished()) {
      if (by !== 'signature' || now - Date.parse(beganAt) < EMPTY_LIFETIME_MS) continue;
      const { offset } = await this.getUpload(id);
      if (offset === 0 && !isBusy(id) && this.find(id)) await this.remove(id);
    }
  }

  /** Files of which only one of the two exists, because the process ended in between. */
  async #removeStrays(): Promise<void> {
    for (const name of await readdir(this.directory)) {
      const known = this.find(name.replace(/\.json$/, ''));
      if (!known) await rm(join(this.directory, name), { force: true });
    }
  }
}

/** The notes, in memory and on the disk. */
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

/** @returns undefined for an incomplete note, left by a power failure */
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
  /** How long one request waits for another that is at work on the same upload. */
  waitMs: 15_000,
  /** A request that has brought nothing for so long is of a line that broke unnoticed. */
  quiet: 3_000,
  /** Interval at which a waiting request checks this. */
  look: 250,
};

/** In the words of the protocol's server; tus-js-client tries again after it. */
const BUSY = { status_code: 423, body: 'The upload is busy. Try again in a moment.\n' };

type Turn = { makeRoom: () => void | Promise<void>; over: Promise<void>; end: () => void; movedAt: number };

/**
 * Allows one request at a time for each upload. A previous request that receives no more data has lost its client and is ended.
 */
export function openUploadLocks(times = TIMES) {
  const turns = new Map<string, Turn>();
  return {
    /** Whether a request works on this upload. */
    isBusy: (id: string) => turns.has(id),
    /** Call it when bytes have arrived. */
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
