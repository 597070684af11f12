import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PGlite, type PGliteOptions, type Transaction } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { unaccent } from '@electric-sql/pglite/contrib/unaccent';
import { PgliteConnection } from '@supabase/lite/pglite';
import { log } from '../log.ts';
import { StartError } from '../start-error.ts';
import type { Engine } from './engine.ts';
import { isExhausted, isReadOnly, withoutValues } from './errors.ts';
import { makeCommitsDurable, writeIntoReserve } from './full-disk.ts';
import { openKysely } from './kysely.ts';
import { refuseWritings } from './no-room.ts';
import { queryBounded } from './pglite-query.ts';
import { PGLITE, releaseParams } from './pglite-release.ts';
import { freeBytes, openReserve } from './reserve.ts';
import type { QueryOptions, Session, Sessions } from './session.ts';
import { shortAlarms } from './short-alarms.ts';
import { syncEntries, syncFolder } from './sync-folder.ts';
import { unavailable } from './unavailable.ts';
import { parsers, serializers } from './values.ts';
import { wholeRows } from './whole-rows.ts';

const setting = (name: string, value: string) => ['-c', `${name}=${value}`];

/**
 * PGlite's own start parameters (PGlite.defaultStartParams) but for three things: no `-F`, so that
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
  ...releaseParams,
];

/** What PGlite is started with, beside its folder. */
export const engineOptions: Omit<PGliteOptions, 'dataDir'> = {
  parsers,
  serializers,
  startParams,
  extensions: { pg_trgm, unaccent, short_alarms: shortAlarms },
};

/**
 * PostgreSQL's own time between checkpoints. PGlite has no process that makes them: without them its log of what is
 * written grows until it is closed, and with it the time that a start after a crash takes.
 */
const CHECKPOINT_MS = 5 * 60_000;

/** What a database needs of its disk to be made, and to be opened after a crash: with less it cannot even say so. */
const ROOM_TO_MAKE = 128 * 1024 * 1024;
const ROOM_TO_OPEN = 24 * 1024 * 1024;

/**
 * Opens the database in this folder, and makes it first where there is none.
 * @throws StartError when its disk has no room
 */
export async function openPglite(folder: string): Promise<Engine & { pg: PGlite }> {
  const reserve = openReserve(`${folder}.room`);
  refuseFullDisk(folder);
  await makeDatabase(folder);
  const connection = new PgliteConnection({ url: folder, pgliteOptions: engineOptions });
  const pg = connection.driver;
  await makeCommitsDurable(pg);
  const writings = refuseWritings(pg, reserve);
  await writeIntoReserve(pg, reserve, writings.refuse);
  if (!reserve.keep()) writings.refuse();
  const sessions = pgliteSessions(pg, writings.areRefused);
  const db = openKysely<unknown>(sessions);
  connection.kysely = db;
  const checkpoints = setInterval(() => {
    pg.exec('checkpoint').catch((error: unknown) => log.error('The database was not tidied.', { error }));
  }, CHECKPOINT_MS);
  checkpoints.unref();
  return {
    kind: PGLITE.engine,
    version: PGLITE.version,
    postgres: PGLITE.postgres,
    connection,
    pg,
    db,
    exec: sessions.exec,
    async alone(script) {
      // Asked for together, so that nobody comes between: there is one session, which the script may have changed.
      await Promise.all([sessions.exec(script), pg.exec('rollback; reset role')]);
    },
    transaction: sessions.transaction,
    async listen(channel, onPayload, onListening) {
      const stop = await pg.listen(channel, onPayload);
      onListening();
      return stop;
    },
    // A server has autovacuum for it; PGlite has one process.
    reclaim: (table) => sessions.exec(`vacuum ${table}`),
    async close() {
      clearInterval(checkpoints);
      writings.stop();
      await pg.exec('checkpoint');
      await connection.close();
      reserve.giveUp();
    },
  };
}

/** PGlite has one session, which each user has to himself in his turn. */
export function pgliteSessions(pg: PGlite, refused = () => false): Sessions {
  return {
    ...session(pg, refused),
    most: 1,
    transaction: (work) => pg.transaction((transaction) => work(session(pg, refused, transaction))),
  };
}

/** @param refused whether nothing may be written, for want of room */
function session(pg: PGlite, refused: () => boolean, within: PGlite | Transaction = pg): Session {
  const told = (error: unknown) =>
    isExhausted(error) || (refused() && isReadOnly(error))
      ? unavailable('There is no room on the disk.')
      : withoutValues(withCode(error));
  return {
    async query<Row>(
      statement: string,
      parameters: readonly unknown[] = [],
      { maxBytes }: QueryOptions = {},
    ) {
      try {
        if (maxBytes !== undefined) return await queryBounded<Row>(pg, statement, parameters, maxBytes);
        const { rows, affectedRows } = await within.query<Row>(statement, [...parameters], {
          onNotice: warn,
        });
        return { rows, changed: affectedRows };
      } catch (error) {
        throw told(error);
      }
    },
    async exec(script) {
      try {
        await within.exec(script, { onNotice: warn });
      } catch (error) {
        throw told(error);
      }
    },
    async *copyOut(query) {
      const { blob } = await within.query(`copy (${query}) to '/dev/blob'`);
      if (blob) yield new Uint8Array(await blob.arrayBuffer());
    },
    async copyIn(target, pieces) {
      for await (const rows of wholeRows(pieces)) {
        try {
          await within.query(`copy ${target} from '/dev/blob'`, [], { blob: new Blob([rows]) });
        } catch (error) {
          throw told(error);
        }
      }
    },
  };
}

/** A server has a log of its own, which holds warnings; here they would be heard by nobody. */
function warn({ severity, message }: { severity: string | undefined; message: string | undefined }): void {
  if (severity === 'WARNING') log.warn(`The database warns: ${message}`);
}

function refuseFullDisk(folder: string): void {
  const needed = existsSync(folder) ? ROOM_TO_OPEN : ROOM_TO_MAKE;
  if (freeBytes(dirname(folder)) >= needed) return;
  const megabytes = needed / 1024 / 1024;
  throw new StartError(`The disk of ${folder} is full: make room there, ${megabytes} MB at least.`);
}

/**
 * Makes a database where there is none, whole or not at all: a start that is interrupted while it does so leaves
 * a folder beside it that the next one throws away.
 */
async function makeDatabase(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  const making = `${folder}.new`;
  await rm(making, { recursive: true, force: true });
  const pg = await PGlite.create(making, engineOptions);
  await pg.close();
  await syncFolder(making);
  await rename(making, folder);
  await syncEntries(dirname(folder));
}

/** PGlite judges the values of some types before PostgreSQL sees them, in an error of its own without a code. */
function withCode(error: unknown): unknown {
  const type = error instanceof Error && /^Invalid input for (\w+) type$/.exec(error.message)?.[1];
  return type ? Object.assign(new Error(`invalid input syntax for type ${type}`), { code: '22P02' }) : error;
}
