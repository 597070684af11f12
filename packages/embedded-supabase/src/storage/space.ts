import { statfs } from 'node:fs/promises';
import { log } from '../log.ts';
import { StorageError } from './errors.ts';

/**
 * Who brings bytes: somebody who was asked for their own right to, or whoever holds an address that another signed,
 * who may be anybody.
 */
export type Uploader = 'person' | 'signature';

/** Bytes that are not all there yet, by who brings them. */
export type Reservation = Record<Uploader, number>;

/** The room that there is on the disk for files. */
export type DiskSpace = {
  /**
   * Keeps room for so many bytes that are about to come.
   * @returns gives it back: the bytes are there, or will not come
   * @throws StorageRefused when there is none
   */
  promise(bytes: number, by: Uploader): Promise<() => void>;
  /** Counts what is promised elsewhere too. */
  count(elsewhere: () => Reservation): void;
  /** A file of so many bytes that a signature brought is kept from now on, and then is not. */
  brought(version: string, bytes: number): void;
  gone(version: string): void;
};

/** What is left on the disk for the database, whatever is sent: without room it takes no update any more. */
const RESERVED_BYTES = 512 * 1024 * 1024;

/**
 * Of the room that there would be without them, what signatures may fill: else whoever sends tips without an end could
 * leave no room for the newsroom's own photos. Counted since the start, of the files that are still there.
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
