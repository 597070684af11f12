import { statfs } from 'node:fs/promises';
import { log } from '../log/log.ts';
import { StorageError } from './errors.ts';

/** The uploader: a caller with rights of their own, or an anonymous holder of a signed URL. */
export type Uploader = 'person' | 'signature';

/** Bytes that are not all there yet, by who brings them. */
export type Reservation = Record<Uploader, number>;

/** The room that there is on the disk for files. */
export type DiskSpace = {
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
export function openDiskSpace(free: () => Promise<number>): DiskSpace {
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
