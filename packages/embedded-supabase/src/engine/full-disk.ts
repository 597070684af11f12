import { closeSync, fsyncSync, openSync } from 'node:fs';
import type { PGlite } from '@electric-sql/pglite';
import { DISK_EXIT_CODES } from './pglite-thread.ts';
import { type DiskReserve, isDiskFull } from './reserve.ts';

/*
 * Changes PGlite's disk layer where it differs from that of a server. When a write fails that cannot be undone, a
 * server ends itself (PANIC), but PGlite loops forever. So such an error must not reach PGlite. Either the write finds
 * space, or the thread ends and the next start recovers the database from its write-ahead log.
 */

type Node = { mode: number };
type Stream = { node: Node; nfd?: number };
type Write = (
  stream: Stream,
  memory: Uint8Array,
  offset: number,
  length: number,
  position?: number,
) => number;
type MakeNode = (parent: Node, name: string, mode: number, device: number) => Node;
type Disk = {
  node_ops: { mknod: MakeNode };
  stream_ops: { write: Write; fsync?: (stream: Stream) => number };
  realPath(node: Node): string;
};

/** Path of the data folder in PGlite's file system. */
const DATA_FOLDER = '/pglite/data';

function diskOf(pg: PGlite): Disk {
  const { node } = pg.Module.FS.lookupPath(DATA_FOLDER) as unknown as { node: { mount: { type: Disk } } };
  return node.mount.type;
}

/** Ends this thread with one of DISK_EXIT_CODES, which gives the reason. */
const endThread = (exitCode: number): never => process.exit(exitCode);

/** Files whose failed writes PostgreSQL handles itself: files of rows, and temporary files for sorting. */
const CAN_FAIL = /\/base\//;

/**
 * Adds fsync to PGlite's disk layer, which has none. Without it, a commit survives a crash of the process, but not a
 * crash of the machine.
 * @param sync writes the file or folder of a descriptor to the disk; only tests replace it
 */
export async function makeCommitsDurable(
  pg: PGlite,
  sync: (descriptor: number) => void = fsyncSync,
  stop: (exitCode: number) => never = endThread,
): Promise<void> {
  await pg.waitReady;
  const disk = diskOf(pg);
  disk.stream_ops.fsync = ({ node, nfd }) => {
    try {
      if (nfd !== undefined) sync(nfd);
      else syncEntries(disk.realPath(node), sync);
      return 0;
    } catch {
      return stop(DISK_EXIT_CODES.syncFailed);
    }
  };
}

/**
 * Syncs the entries of a folder. PostgreSQL does this after it creates or renames a file in the folder, but PGlite has
 * no descriptor of a folder.
 */
function syncEntries(path: string, sync: (descriptor: number) => void): void {
  const folder = openSync(path, 'r');
  try {
    sync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * Lets PGlite's writes use the space of the reserve when the disk is full.
 * @param onFull runs in the middle of the statement that finds the disk full; from then on, nothing more should be
 *   written
 */
export async function useReserveWhenFull(
  pg: PGlite,
  reserve: DiskReserve,
  onFull: () => void,
  stop: (exitCode: number) => never = endThread,
): Promise<void> {
  await pg.waitReady;
  const disk = diskOf(pg);
  const { write } = disk.stream_ops;
  const { mknod } = disk.node_ops;

  function errorOrStop(error: unknown, path: string): unknown {
    if (CAN_FAIL.test(path)) return error;
    return stop(DISK_EXIT_CODES.reserveUsedUp);
  }
  /** Writes all bytes. A nearly full disk takes only a part of them, and PostgreSQL does not always write the rest. */
  function writeAll(...[stream, memory, offset, length, position]: Parameters<Write>): number {
    let written = 0;
    while (written < length) {
      const filePosition = position === undefined ? undefined : position + written;
      const chunkLength = write(stream, memory, offset + written, length - written, filePosition);
      if (chunkLength === 0) break;
      written += chunkLength;
    }
    return written;
  }

  disk.stream_ops.write = (...args) => {
    try {
      return writeAll(...args);
    } catch (error) {
      if (!isNoSpace(error)) throw error;
      onFull();
      try {
        if (reserve.release()) return writeAll(...args);
      } catch (retryError) {
        if (!isNoSpace(retryError)) throw retryError;
      }
      throw errorOrStop(error, disk.realPath(args[0].node));
    }
  };
  disk.node_ops.mknod = (parent, name, ...rest) => {
    try {
      return mknod(parent, name, ...rest);
    } catch (error) {
      if (!isNoSpace(error)) throw error;
      onFull();
      throw errorOrStop(error, `${disk.realPath(parent)}/${name}`);
    }
  };
}

/** Numbers of ENOSPC and EDQUOT in the WebAssembly System Interface. PGlite's errors contain them. */
const NO_SPACE_ERRNOS = [51, 19];

const isNoSpace = (error: unknown) =>
  isDiskFull(error) || NO_SPACE_ERRNOS.includes((error as { errno?: number } | undefined)?.errno ?? 0);
