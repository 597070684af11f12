import { randomFillSync } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Two files of the database's log: in that much it can finish what it has begun, and be closed. */
const RESERVE_BYTES = 32 * 1024 * 1024;
const PIECE_BYTES = 1024 * 1024;

/**
 * Room on the disk that is kept for the database alone, as a file. When the disk is full, the file is removed within the
 * write that finds no room, so that the database never meets a full disk while it does something it cannot undo. The
 * thread of the database removes it, the backend's own thread makes it.
 */
export type Reserve = {
  /** Keeps the room. @returns whether there was enough of it */
  keep(): boolean;
  /** Gives it up. @returns whether there was any left */
  giveUp(): boolean;
  /** Whether there is room enough to keep it again and to write beside it. */
  isRoomAgain(): boolean;
};

/** @param path of the file; on the disk of the database */
export const openReserve = (path: string, bytes = RESERVE_BYTES): Reserve => ({
  keep() {
    try {
      fill(path, bytes);
      return true;
    } catch (error) {
      rmSync(path, { force: true });
      if (!isFull(error)) throw error;
      return false;
    }
  },
  giveUp() {
    if (!existsSync(path)) return false;
    rmSync(path, { force: true });
    return true;
  },
  isRoomAgain: () => freeBytesSync(dirname(path)) >= bytes * 2,
});

/** Bytes that are free on the disk of a folder. */
export function freeBytesSync(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Whether an error of Node's says that there is no room on the disk, or none for this user. */
export const isFull = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

/** Fills the file with random bytes: no file system makes them smaller. */
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
