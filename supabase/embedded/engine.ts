import { existsSync, fsyncSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { PGlite, type PGliteOptions, types } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { unaccent } from '@electric-sql/pglite/contrib/unaccent';
import { syncFolder } from './sync-folder.ts';

/** PostgREST writes times as ISO 8601 with a full offset; PostgreSQL's own text is refused by Safari. */
const isoTime = (text: string) => text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00');

/** NaN and the infinities have no JSON number; PostgREST leaves them as text, and so do we. */
const number = (text: string) => (Number.isFinite(Number(text)) ? Number(text) : text);

/** How values leave the database, where PGlite or lite would shape them otherwise than PostgREST does. */
const parsers: NonNullable<PGliteOptions['parsers']> = {
  [types.TIMESTAMPTZ]: isoTime,
  [types.TIMESTAMP]: isoTime,
  [types.NUMERIC]: number,
  [types.BYTEA]: (text) => text,
};

const setting = (name: string, value: string) => ['-c', `${name}=${value}`];

/**
 * PGlite's own start parameters (PGlite.defaultStartParams of 0.4.5) but for three things: no `-F`, so that
 * commits ask for an fsync; `fsync` as the method, because the other call is dropped by PGlite's disk layer;
 * and small buffers, because the default of 128 MB is memory that one newsroom never needs.
 */
const startParams = [
  '--single',
  '-O',
  '-j',
  ...setting('search_path', '"$user",public,extensions'),
  ...setting('exit_on_error', 'false'),
  ...setting('log_checkpoints', 'false'),
  ...setting('max_worker_processes', '0'),
  ...setting('max_parallel_workers', '0'),
  ...setting('max_parallel_workers_per_gather', '0'),
  ...setting('wal_sync_method', 'fsync'),
  ...setting('shared_buffers', '16MB'),
  ...setting('wal_buffers', '1MB'),
  ...setting('timezone', 'UTC'),
];

/** What PGlite is started with, beside its folder. */
export const engineOptions: Omit<PGliteOptions, 'dataDir'> = {
  parsers,
  startParams,
  extensions: { pg_trgm, unaccent },
};

/**
 * Makes a database where there is none, whole or not at all: a start that is interrupted while it does so leaves
 * a folder beside it that the next one throws away.
 */
export async function makeDatabase(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  const making = `${folder}.new`;
  await rm(making, { recursive: true, force: true });
  const pg = await PGlite.create(making, engineOptions);
  await pg.close();
  await syncFolder(making);
  await rename(making, folder);
}

type NodeStream = { nfd: number };
type FileOperations = { fsync?: (stream: NodeStream) => number };

/**
 * Makes PGlite's fsync real. Its disk layer has none, so without this a commit is safe against the death of
 * the process but not against that of the machine.
 * @param sync gets the descriptor of each file that must reach the disk; replaced by tests only
 */
export async function makeCommitsDurable(pg: PGlite, sync: (descriptor: number) => void = fsyncSync) {
  await pg.waitReady;
  const disk = pg.Module.FS.filesystems.NODEFS as unknown as { stream_ops: FileOperations };
  disk.stream_ops.fsync = (stream) => {
    sync(stream.nfd);
    return 0;
  };
}
