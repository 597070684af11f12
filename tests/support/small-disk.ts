import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A small disk in memory, mounted over a folder. */
export type SmallDisk = {
  /** Fills the disk except for `keepFree` bytes, with a file named `ballast`. */
  fill(keepFree?: number): void;
  /** Deletes the file that `fill` wrote. */
  empty(): void;
  unmount(): void;
};

/**
 * Mounts a small disk.
 * @param size size in the syntax of mount, such as `2m`
 * @returns undefined if this user may not mount a disk
 */
export function mountSmallDisk(folder: string, size: string): SmallDisk | undefined {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  const ballast = join(folder, 'ballast');
  const free = () => {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  };
  return {
    fill(keepFree = 0) {
      const file = openSync(ballast, 'a');
      for (let left = free() - keepFree; left > 0; left = free() - keepFree)
        writeSync(file, Buffer.alloc(Math.min(left, 1024 * 1024), 1));
      closeSync(file);
    },
    empty: () => rmSync(ballast),
    unmount: () => execFileSync('umount', ['-l', folder]),
  };
}

/** Reason to skip a test when `mountSmallDisk` returns undefined. */
export const CANNOT_MOUNT_REASON = 'This user may not mount a disk.';
