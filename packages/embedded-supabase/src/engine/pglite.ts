import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PostgresConnection } from '@supabase/lite/postgres';
import { Mutex } from 'async-mutex';
import { syncEntries, syncFolder } from '../data-folder.ts';
import { backendLog, requestId, runWithRequestId } from '../log/log.ts';
import { counters } from '../metrics/counters.ts';
import { StartError } from '../start-error.ts';
import { writeEmptyDatabase } from './empty-database.ts';
import {
  type DatabaseSession,
  type Engine,
  type QueryOptions,
  type QueryResult,
  type SessionPool,
  splitAtRowEnds,
} from './engine.ts';
import {
  isOutOfResources,
  isReadOnlyError,
  isStaleStatement,
  markUnavailable,
  redactDriverError,
  timeoutError,
} from './errors.ts';
import { type Hold, openHoldWatchdog } from './hold-watchdog.ts';
import { openKysely } from './kysely.ts';
import { PGLITE_RELEASE } from './pglite-release.ts';
import {
  DISK_EXIT_CODES,
  PgliteThread,
  ThreadEndedError,
  type ThreadEvent,
  ThreadFailedError,
  type ThreadRequest,
} from './pglite-thread.ts';
import { type DiskReserve, freeBytesSync, openDiskReserve } from './reserve.ts';
import { currentWorkContext, runWithoutTimeLimit } from './work.ts';

/**
 * PostgreSQL's default interval between checkpoints. PGlite has no process that makes them. Without checkpoints its
 * write-ahead log grows until the database closes, and a start after a crash takes longer.
 */
const CHECKPOINT_MS = 5 * 60_000;

/** Free disk space that creating a database needs, in bytes. */
const CREATE_MIN_FREE_BYTES = 128 * 1024 * 1024;

/** Free disk space for opening a database after a crash, in bytes. With less, PGlite cannot even report the problem. */
const OPEN_MIN_FREE_BYTES = 24 * 1024 * 1024;

/** A transaction, or a statement outside of one. It ends with the thread in which it began. */
type Scope = { thread: PgliteThread; hold: Hold; begin: 'no' | 'pending' | 'done' };

type Listener = { onPayload: (payload: string) => void; onListening: () => void };

/** The listeners of a channel. `started` resolves when PostgreSQL listens to it. */
type Listeners = { all: Set<Listener>; started: Promise<void> };

/**
 * Opens the database in a folder, and creates it if there is none.
 *
 * PGlite runs in a thread. If a transaction exceeds its time limit (work.ts) or PGlite fails, the thread is terminated
 * and a new one opens the same folder. Committed rows remain, the open transaction is rolled back, and the new thread
 * listens to the same channels. Until then every statement fails with UnavailableError.
 * @throws StartError if the disk has too little free space
 */
export async function openPglite(folder: string): Promise<Engine> {
  const reserve = openDiskReserve(`${folder}.room`);
  // An earlier process may have left its reserve on the disk. The database may need that space to start.
  reserve.release();
  refuseFullDisk(folder);
  await createDatabase(folder);

  const mutex = new Mutex();
  const listeners = new Map<string, Listeners>();
  let isClosing = false;
  /** Undefined while the database restarts. */
  let thread: PgliteThread | undefined;
  let currentRestart = Promise.resolve();

  const handlers = { onEvent, onEnd };
  thread = await PgliteThread.start(folder, handlers);

  const watchdog = openHoldWatchdog(
    async () => thread?.processorMs(),
    (hold) => {
      hold.causedRestart = true;
      hold.work.outcome.timedOut = true;
      const seconds = (hold.busyMs / 1000).toFixed(1);
      restart(`A statement kept the database busy for ${seconds} s and was stopped.`, hold);
    },
  );

  function onEvent(event: Exclude<ThreadEvent, { event: 'ready' }>): void {
    if (event.event === 'disk_full') guard.refuseWrites();
    if (event.event === 'warning') backendLog.warn(`The database warns: ${event.message}`);
    if (event.event !== 'notification') return;
    for (const { onPayload } of listeners.get(event.channel)?.all ?? []) onPayload(event.payload);
  }

  function onEnd(exitCode: number): void {
    if (exitCode === DISK_EXIT_CODES.syncFailed || exitCode === DISK_EXIT_CODES.reserveUsedUp) {
      backendLog.error(
        exitCode === DISK_EXIT_CODES.syncFailed
          ? 'The disk reported a write error. The backend stops.'
          : 'The disk and the space reserved for the database are full. The backend stops.',
      );
      process.exit(1);
    }
    if (!isClosing) restart(`The thread of the database ended unexpectedly (${exitCode}).`);
  }

  function restart(reason: string, hold?: Hold & { requestId?: string }): void {
    const endedThread = thread;
    if (!endedThread) return;
    thread = undefined;
    counters.database_restarts += 1;
    const report = () => backendLog.error(reason, { work: hold?.work.name ?? 'work of the backend itself' });
    if (hold?.requestId) runWithRequestId(hold.requestId, report);
    else report();
    currentRestart = reopen(endedThread).catch((error: unknown) => {
      backendLog.error('The database could not be opened again. The backend stops.', { error });
      process.exit(1);
    });
  }

  async function reopen(endedThread: PgliteThread): Promise<void> {
    const startedAt = performance.now();
    await endedThread.terminate();
    reserve.release();
    const newThread = await PgliteThread.start(folder, handlers);
    for (const channel of listeners.keys()) await newThread.call({ kind: 'listen', channel });
    thread = newThread;
    if (!reserve.create()) guard.refuseWrites();
    if (guard.isRefusingWrites()) await guard.apply();
    backendLog.warn(`The database is back after ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
    for (const { all } of listeners.values()) for (const { onListening } of all) onListening();
  }

  function openScope(isTransaction: boolean): Scope {
    if (!thread) throw markUnavailable('The database restarts.');
    const hold = { work: currentWorkContext(), busyMs: 0, causedRestart: false, requestId: requestId() };
    return { thread, hold, begin: isTransaction ? 'pending' : 'no' };
  }

  async function send<Result>(scope: Scope, request: ThreadRequest): Promise<Result> {
    if (scope.thread !== thread) throw refusal(scope, new ThreadEndedError());
    watchdog.begin(scope.hold);
    try {
      const begin = scope.begin === 'pending';
      if (begin) scope.begin = 'done';
      return await scope.thread.call<Result>(begin ? { ...request, begin } : request);
    } catch (error) {
      throw refusal(scope, error);
    } finally {
      watchdog.end();
    }
  }

  /** Converts an error of the thread to one for the layers above. Restarts the database if PGlite failed. */
  function refusal({ hold }: Scope, error: unknown): unknown {
    if (error instanceof ThreadFailedError) {
      hold.causedRestart = true;
      hold.work.outcome.timedOut = true;
      restart(`The database failed: ${error.message}.`, hold);
    }
    if (hold.causedRestart) return timeoutError();
    if (error instanceof ThreadEndedError) return markUnavailable('The database restarts.');
    if (isStaleStatement(error)) return markUnavailable('The schema has changed.');
    return isOutOfResources(error) || (guard.isRefusingWrites() && isReadOnlyError(error))
      ? markUnavailable('There is no room on the disk.')
      : redactDriverError(error);
  }

  const sessionOf = (scope: Scope): DatabaseSession => ({
    query: <Row>(statement: string, parameters: readonly unknown[] = [], { maxBytes }: QueryOptions = {}) =>
      send<QueryResult<Row>>(scope, { kind: 'query', statement, parameters, maxBytes }),
    exec: (script) => send(scope, { kind: 'exec', script }),
    async *copyOut(query) {
      yield* await send<Uint8Array[]>(scope, { kind: 'copyOut', query });
    },
    async copyIn(target, pieces) {
      for await (const rows of splitAtRowEnds(pieces)) await send(scope, { kind: 'copyIn', target, rows });
    },
  });

  const exclusively = <Result>(work: (session: DatabaseSession, scope: Scope) => Promise<Result>) =>
    mutex.runExclusive(() => {
      const scope = openScope(false);
      return work(sessionOf(scope), scope);
    });

  const transaction: SessionPool['transaction'] = (work) =>
    mutex.runExclusive(async () => {
      const scope = openScope(true);
      const end = async (command: 'COMMIT' | 'ROLLBACK') => {
        if (scope.begin === 'done') await send(scope, { kind: 'end', command });
      };
      try {
        const result = await work(sessionOf(scope));
        await end('COMMIT');
        return result;
      } catch (error) {
        // This fails if the thread has ended. The transaction is rolled back in any case.
        await end('ROLLBACK').catch(() => {});
        throw error;
      }
    });

  const exec = (script: string) => exclusively((session) => session.exec(script));

  const sessions: SessionPool = {
    maxSessions: 1,
    query: (...statement) => exclusively((session) => session.query(...statement)),
    exec,
    async *copyOut(query) {
      yield* await exclusively(async (_, scope) => send<Uint8Array[]>(scope, { kind: 'copyOut', query }));
    },
    copyIn: (target, pieces) => exclusively((session) => session.copyIn(target, pieces)),
    transaction,
  };
  /** Starts to listen to a channel without listeners. Listeners that join meanwhile wait for it, and fail with it. */
  function beginListening(channel: string): Listeners {
    const started = exclusively((_, scope) => send<void>(scope, { kind: 'listen', channel }));
    const channelListeners: Listeners = { all: new Set(), started };
    listeners.set(channel, channelListeners);
    started.catch(() => {
      if (listeners.get(channel) === channelListeners) listeners.delete(channel);
    });
    return channelListeners;
  }

  const guard = openWriteGuard(exec, reserve);
  if (!reserve.create()) guard.refuseWrites();
  const db = openKysely<unknown>(sessions);
  const checkpointTimer = setInterval(() => {
    runWithoutTimeLimit('checkpoint', () => exec('checkpoint')).catch((error: unknown) =>
      backendLog.error('The checkpoint of the database failed.', { error }),
    );
  }, CHECKPOINT_MS);
  checkpointTimer.unref();

  return {
    kind: PGLITE_RELEASE.engine,
    version: PGLITE_RELEASE.version,
    postgres: PGLITE_RELEASE.postgres,
    connection: connectionFor(db, exec),
    db,
    exec,
    execOutsideTransaction: (script) =>
      exclusively(async (session, scope) => {
        try {
          await session.exec(script);
        } finally {
          // All requests share this session, which the script may have changed.
          await send(scope, { kind: 'reset' }).catch(() => {});
        }
      }),
    transaction,
    async listen(channel, onPayload, onListening) {
      const listener = { onPayload, onListening };
      const channelListeners = listeners.get(channel) ?? beginListening(channel);
      channelListeners.all.add(listener);
      await channelListeners.started;
      onListening();
      return async () => {
        channelListeners.all.delete(listener);
        if (channelListeners.all.size > 0 || listeners.get(channel) !== channelListeners) return;
        listeners.delete(channel);
        await exclusively((_, scope) => send(scope, { kind: 'unlisten', channel }));
      };
    },
    // PGlite has no autovacuum, unlike a server.
    reclaim: (table) => runWithoutTimeLimit('vacuum', () => exec(`vacuum ${table}`)),
    async close() {
      isClosing = true;
      clearInterval(checkpointTimer);
      guard.stop();
      await currentRestart;
      await runWithoutTimeLimit('close', () => exclusively((_, scope) => send(scope, { kind: 'close' })));
      await thread?.terminate();
      reserve.release();
    },
  };
}

/**
 * Creates the connection with which lite compiles its statements. It is lite's class for a PostgreSQL server, because
 * lite's class for PGlite would open PGlite in this thread. It never connects: every statement goes through `db`.
 */
function connectionFor(db: Engine['db'], exec: Engine['exec']): PostgresConnection {
  const connection = new PostgresConnection({ url: 'postgres://127.0.0.1' });
  connection.kysely = db;
  connection.exec = async <Result>(script: string) => {
    await exec(script);
    return { rows: [] } as Result;
  };
  return connection;
}

function refuseFullDisk(folder: string): void {
  const neededBytes = existsSync(folder) ? OPEN_MIN_FREE_BYTES : CREATE_MIN_FREE_BYTES;
  if (freeBytesSync(dirname(folder)) >= neededBytes) return;
  const megabytes = neededBytes / 1024 / 1024;
  throw new StartError(`The disk of ${folder} is full: make room there, ${megabytes} MB at least.`);
}

/**
 * Creates a database if there is none. An interrupted start leaves no incomplete database, only a folder `FOLDER.new`
 * that the next start deletes.
 */
async function createDatabase(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  const temporary = `${folder}.new`;
  await rm(temporary, { recursive: true, force: true });
  await writeEmptyDatabase(temporary);
  await syncFolder(temporary);
  await rename(temporary, folder);
  await syncEntries(dirname(folder));
}

/** Milliseconds between two checks for free disk space. */
const CHECK_INTERVAL_MS = 1_000;

/** Refuses writes while the disk of the database is full. */
type WriteGuard = {
  isRefusingWrites(): boolean;
  refuseWrites(): void;
  /** Sets the state of the guard in a database that was just opened again. */
  apply(): Promise<void>;
  stop(): void;
};

/**
 * Creates a guard that makes the database read-only while the disk is full. The database then rejects every change with
 * 25006, also inside functions. Its own necessary writes use the space of the reserve. When there is space again,
 * requests can write again.
 * @param exec runs a statement in the session that all requests share
 */
function openWriteGuard(exec: (statement: string) => Promise<void>, reserve: DiskReserve): WriteGuard {
  let isRefusing = false;
  let timer: NodeJS.Timeout | undefined;

  const apply = () =>
    exec(`set default_transaction_read_only = ${isRefusing ? 'on' : 'off'}`).catch((error: unknown) =>
      backendLog.error('The database could not be made read-only, or writable again.', { error }),
    );

  function checkSpace(): void {
    if (!reserve.canRecreate() || !reserve.create()) return;
    clearInterval(timer);
    isRefusing = false;
    backendLog.warn('There is space on the disk again. Writing continues.');
    void apply();
  }

  return {
    isRefusingWrites: () => isRefusing,
    refuseWrites() {
      if (isRefusing) return;
      isRefusing = true;
      backendLog.error('The disk is full. Reading works, and writing continues when there is space.');
      void apply();
      timer = setInterval(checkSpace, CHECK_INTERVAL_MS);
      timer.unref();
    },
    apply,
    stop: () => clearInterval(timer),
  };
}
