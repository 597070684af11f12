import { randomFillSync } from 'node:crypto';
import { closeSync, fsyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Two files of the database's log: in that much it can finish what it has begun, and be closed. */
const RESERVE_BYTES = 32 * 1024 * 1024;
const PIECE_BYTES = 1024 * 1024;

/**
 * Room on the disk that is kept for the database alone, as a file. When the disk is full it is given up within the very
 * write that finds no room, so that the database never meets a full disk in the midst of what it cannot take back.
 */
export type Reserve = {
  /** Keeps the room. @returns whether there was enough of it */
  keep(): boolean;
  /** Gives it up. @returns whether there was any left */
  giveUp(): boolean;
  /** Is there so much room that it can be kept again, and something is left to write into? */
  isRoomAgain(): boolean;
};

/** @param path of the file; on the disk of the database */
export function openReserve(path: string, bytes = RESERVE_BYTES): Reserve {
  let kept = false;
  const remove = () => {
    kept = false;
    rmSync(path, { force: true });
  };
  // What an earlier process has left: the database may need it to begin.
  remove();
  return {
    keep() {
      try {
        fill(path, bytes);
        kept = true;
      } catch (error) {
        remove();
        if (!isFull(error)) throw error;
      }
      return kept;
    },
    giveUp() {
      if (!kept) return false;
      remove();
      return true;
    },
    isRoomAgain: () => freeBytes(dirname(path)) >= bytes * 2,
  };
}

/** Bytes that are free on the disk of a folder. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Whether an error of Node's says that there is no room on the disk, or none for this user. */
export const isFull = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

/** With bytes that no file system makes smaller. */
function fill(path: string, bytes: number): void {
  const piece = randomFillSync(Buffer.alloc(Math.min(bytes, PIECE_BYTES)));
  const file = openSync(path, 'w', 0o600);
  try {
    for (let at = 0; at < bytes; ) at += writeSync(file, piece, 0, Math.min(piece.length, bytes - at));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
