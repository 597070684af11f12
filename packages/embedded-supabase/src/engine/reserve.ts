import { randomFillSync } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Size of two files of the write-ahead log. In this space the database can finish its work and close. */
const RESERVE_BYTES = 32 * 1024 * 1024;
const PIECE_BYTES = 1024 * 1024;

/**
 * Disk space that a file reserves for the database. A write that finds the disk full deletes the file and continues. So
 * the database never meets a full disk during work that it cannot undo. The thread of the database deletes the file,
 * and the backend's main thread creates it.
 */
export type DiskReserve = {
  /** Creates the file. @returns false if the disk has too little space */
  create(): boolean;
  /** Deletes the file. @returns false if there was none */
  release(): boolean;
  /** Returns whether there is enough space to create the file again and to write other files. */
  canRecreate(): boolean;
};

/** Returns a reserve, without creating its file. @param path path of the file, on the disk of the database */
export const openDiskReserve = (path: string, bytes = RESERVE_BYTES): DiskReserve => ({
  create() {
    try {
      fill(path, bytes);
      return true;
    } catch (error) {
      rmSync(path, { force: true });
      if (!isDiskFull(error)) throw error;
      return false;
    }
  },
  release() {
    if (!existsSync(path)) return false;
    rmSync(path, { force: true });
    return true;
  },
  canRecreate: () => freeBytesSync(dirname(path)) >= bytes * 2,
});

/** Returns the number of free bytes on the disk of a folder. */
export function freeBytesSync(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Returns whether an error of Node means that the disk is full, or that the user's quota is used up. */
export const isDiskFull = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

/** Fills the file with random bytes, because no file system can compress them. */
function fill(path: string, bytes: number): void {
  const piece = randomFillSync(Buffer.alloc(Math.min(bytes, PIECE_BYTES)));
  const file = openSync(path, 'w', 0o600);
  try {
    for (let offset = 0; offset < bytes; )
      offset += writeSync(file, piece, 0, Math.min(piece.length, bytes - offset));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
