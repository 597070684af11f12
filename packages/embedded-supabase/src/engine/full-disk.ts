import { closeSync, fsyncSync, openSync } from 'node:fs';
import type { PGlite } from '@electric-sql/pglite';
import { DISK_EXIT } from './pglite-thread.ts';
import { isFull, type Reserve } from './reserve.ts';

/*
 * Where PGlite's disk layer differs from a server's. PostgreSQL ends itself (PANIC) when it cannot undo what it could not
 * write; PGlite loops for ever instead. So such an error must not reach it: either there is room, or the thread ends, and
 * the next start recovers the database from its log.
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
type Make = (parent: Node, name: string, mode: number, device: number) => Node;
type Disk = {
  node_ops: { mknod: Make };
  stream_ops: { write: Write; fsync?: (stream: Stream) => number };
  realPath(node: Node): string;
};

/** Where the engine sees its folder. */
const FOLDER = '/pglite/data';

function diskOf(pg: PGlite): Disk {
  const { node } = pg.Module.FS.lookupPath(FOLDER) as unknown as { node: { mount: { type: Disk } } };
  return node.mount.type;
}

/** Ends this thread with a code that says why. */
const end = (exitCode: number): never => process.exit(exitCode);

/** Files whose failed writes PostgreSQL handles itself: those of rows, and temporary ones for sorting. */
const CAN_FAIL = /\/base\//;

/**
 * Makes PGlite's fsync real. Its disk layer has none, so without this a commit is safe against the death of
 * the process but not against that of the machine.
 * @param sync gets the descriptor of each file and folder that must reach the disk; replaced by tests only
 */
export async function makeCommitsDurable(
  pg: PGlite,
  sync: (descriptor: number) => void = fsyncSync,
  stop: (exitCode: number) => never = end,
): Promise<void> {
  await pg.waitReady;
  const disk = diskOf(pg);
  disk.stream_ops.fsync = ({ node, nfd }) => {
    try {
      if (nfd !== undefined) sync(nfd);
      else syncEntries(disk.realPath(node), sync);
      return 0;
    } catch {
      return stop(DISK_EXIT.syncFailed);
    }
  };
}

/** A folder, which PostgreSQL syncs after it has made or renamed a file in it, is open in no descriptor of PGlite's. */
function syncEntries(path: string, sync: (descriptor: number) => void): void {
  const folder = openSync(path, 'r');
  try {
    sync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * Writes into the reserve what finds no room on the disk any more.
 * @param onFull runs when that has begun, in the midst of a statement: from now on nothing more should be written
 */
export async function writeIntoReserve(
  pg: PGlite,
  reserve: Reserve,
  onFull: () => void,
  stop: (exitCode: number) => never = end,
): Promise<void> {
  await pg.waitReady;
  const disk = diskOf(pg);
  const { write } = disk.stream_ops;
  const { mknod } = disk.node_ops;

  function missing(error: unknown, path: string): unknown {
    if (CAN_FAIL.test(path)) return error;
    return stop(DISK_EXIT.reserveUsedUp);
  }
  /** A disk that is nearly full takes a part; PostgreSQL would ask for the rest, or not. */
  function writeAll(...[stream, memory, offset, length, position]: Parameters<Write>): number {
    let written = 0;
    while (written < length) {
      const at = position === undefined ? undefined : position + written;
      const more = write(stream, memory, offset + written, length - written, at);
      if (more === 0) break;
      written += more;
    }
    return written;
  }

  disk.stream_ops.write = (...piece) => {
    try {
      return writeAll(...piece);
    } catch (error) {
      if (!isNoRoom(error)) throw error;
      onFull();
      try {
        if (reserve.giveUp()) return writeAll(...piece);
      } catch (again) {
        if (!isNoRoom(again)) throw again;
      }
      throw missing(error, disk.realPath(piece[0].node));
    }
  };
  disk.node_ops.mknod = (parent, name, ...more) => {
    try {
      return mknod(parent, name, ...more);
    } catch (error) {
      if (!isNoRoom(error)) throw error;
      onFull();
      throw missing(error, `${disk.realPath(parent)}/${name}`);
    }
  };
}

/** ENOSPC and EDQUOT as the WebAssembly System Interface counts them, in what PGlite makes of Node's errors. */
const NO_ROOM = [51, 19];

const isNoRoom = (error: unknown) =>
  isFull(error) || NO_ROOM.includes((error as { errno?: number } | undefined)?.errno ?? 0);
