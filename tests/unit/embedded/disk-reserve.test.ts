import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { useReserveWhenFull } from '../../../packages/embedded-supabase/src/engine/full-disk.ts';
import { DISK_EXIT_CODES } from '../../../packages/embedded-supabase/src/engine/pglite-thread.ts';
import { freeBytesSync, openDiskReserve } from '../../../packages/embedded-supabase/src/engine/reserve.ts';

const LOG_FILE = '/data/pg_wal/000000010000000000000001';
const ROWS_FILE = '/data/base/5/16384';

/** ENOSPC, as PGlite's file system reports it. */
const noSpace = () => Object.assign(new Error('no space'), { errno: 51 });

/**
 * A database whose disk has `free` bytes, and a reserve of `reserved` bytes.
 * @param chunk the most bytes that one write takes
 */
async function openFullDisk({ path = LOG_FILE, free = 0, reserved = 0, chunk = 100 }) {
  const space = { free, reserved };
  const fileSystem = {
    node_ops: { mknod: vi.fn() },
    stream_ops: {
      write(_stream: object, _memory: Uint8Array, _offset: number, length: number) {
        if (space.free === 0) throw noSpace();
        const written = Math.min(length, space.free, chunk);
        space.free -= written;
        return written;
      },
    },
    realPath: () => path,
  };
  const node = { mount: { type: fileSystem } };
  const pg = { waitReady: Promise.resolve(), Module: { FS: { lookupPath: () => ({ node }) } } };
  const onFull = vi.fn();
  const stop = (exitCode: number): never => {
    throw new Error(`ended with ${exitCode}`);
  };
  const reserve = {
    create: () => false,
    canRecreate: () => false,
    release() {
      const { reserved } = space;
      space.free += reserved;
      space.reserved = 0;
      return reserved > 0;
    },
  };
  await useReserveWhenFull(pg as unknown as PGlite, reserve, onFull, stop);
  return {
    onFull,
    space,
    write: (length: number) =>
      fileSystem.stream_ops.write({ node: { mode: 0 } }, new Uint8Array(length), 0, length),
  };
}

describe('a write to a full disk', () => {
  it('uses the reserve, and stops further writes', async () => {
    const { write, onFull, space } = await openFullDisk({ reserved: 50 });
    expect(write(20)).toBe(20);
    expect(onFull).toHaveBeenCalledTimes(1);
    expect(space).toEqual({ free: 30, reserved: 0 });
  });

  it('is completed when the disk takes only parts of it', async () => {
    const { write, onFull } = await openFullDisk({ free: 20, chunk: 8 });
    expect(write(20)).toBe(20);
    expect(onFull).not.toHaveBeenCalled();
  });

  it('fails alone for a file of rows, and ends the thread for the log, when the reserve is used up', async () => {
    const rows = await openFullDisk({ path: ROWS_FILE });
    expect(() => rows.write(20)).toThrow('no space');
    const log = await openFullDisk({ reserved: 10 });
    expect(() => log.write(20)).toThrow(`ended with ${DISK_EXIT_CODES.reserveUsedUp}`);
  });
});

describe('openDiskReserve', () => {
  async function reserveOf(bytesOf: (free: number) => number) {
    const folder = await mkdtemp(join(tmpdir(), 'stoppress-reserve-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'db.room');
    return { path, reserve: openDiskReserve(path, bytesOf(freeBytesSync(folder))) };
  }

  it('fills its file, and deletes it once', async () => {
    const { path, reserve } = await reserveOf(() => 1_500_000);
    expect(reserve.create()).toBe(true);
    expect(await stat(path)).toMatchObject({ size: 1_500_000 });
    // A sparse file would reserve nothing.
    expect((await stat(path)).blocks * 512).toBeGreaterThanOrEqual(1_500_000);
    expect([reserve.release(), reserve.release()]).toEqual([true, false]);
  });

  it('is created again only when as much space remains for other files', async () => {
    const { reserve: large } = await reserveOf((free) => Math.floor(free * 0.75));
    const { reserve: small } = await reserveOf((free) => Math.floor(free / 4));
    expect([large.canRecreate(), small.canRecreate()]).toEqual([false, true]);
  });
});
