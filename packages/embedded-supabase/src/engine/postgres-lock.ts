import { setTimeout as wait } from 'node:timers/promises';
import type postgres from 'postgres';
import type { Sql } from 'postgres';
import { backendLog } from '../log/log.ts';
import { StartError } from '../start-error.ts';
import { openSingleConnection } from './postgres-check.ts';

/** Key of the backend's advisory lock: the letters of "stop". */
const LOCK_KEY = 0x73746f70;

/** Interval between two heartbeats, in ms. */
const HEARTBEAT_MS = 5_000;
/** Heartbeats in a row without an answer after which the server counts as vanished. */
const MAX_MISSED_HEARTBEATS = 2;

/** How long to wait for the lock, in ms. The server may still have the session of a backend that was just killed. */
const LOCK_TIMEOUT_MS = 3_000;
const RETRY_INTERVAL_MS = 500;

type DatabaseLock = { release(): Promise<void> };

/** A session of the server. Its number alone may belong to a later session. */
type ServerSession = { pid: number; backend_start: string };

/**
 * Locks a database for this backend. Two backends would not corrupt its rows, but each would count attempts, sessions
 * and schedules on its own. The lock belongs to a session. After a restart of the server, this function acquires it
 * again. While it has the lock, it sends heartbeats, and closes all sockets when the server does not answer them.
 * @param sockets the sockets of all connections to the server
 * @param onLockLost runs if another backend has acquired the lock by then
 * @throws StartError if another backend has the lock
 */
export async function lockDatabase(
  url: string,
  connection: Record<string, string | number>,
  sockets: ServerSockets,
  onLockLost: () => void,
): Promise<DatabaseLock> {
  let isReleased = false;
  let hasLock = false;
  let lockSession: ServerSession | undefined;
  const sql = openSingleConnection(url, connection, {
    ...sockets.driverOptions,
    idle_timeout: 0,
    max_lifetime: null,
    fetch_types: false,
    onclose: () => {
      if (!hasLock || isReleased) return;
      hasLock = false;
      backendLog.error('The database cannot be reached. Requests are refused until it is back.');
      void reacquireLock();
    },
  });

  async function reacquireLock(): Promise<void> {
    while (!isReleased) {
      await wait(RETRY_INTERVAL_MS);
      const outcome = await acquireLock(sql, lockSession).catch(() => undefined);
      if (outcome === 'locked') return onLockLost();
      if (outcome) {
        lockSession = outcome;
        hasLock = true;
        backendLog.warn('The database is back.');
        return;
      }
    }
  }

  let isAnswerPending = false;
  let missedHeartbeats = 0;
  const heartbeat = setInterval(() => {
    if (!hasLock) return;
    if (!isAnswerPending) {
      isAnswerPending = true;
      missedHeartbeats = 0;
      const onAnswered = () => {
        isAnswerPending = false;
      };
      sql.unsafe('select 1').then(onAnswered, onAnswered);
      return;
    }
    missedHeartbeats += 1;
    if (missedHeartbeats < MAX_MISSED_HEARTBEATS) return;
    backendLog.error('The database does not answer. Its connections are closed.');
    sockets.closeAll();
  }, HEARTBEAT_MS);
  heartbeat.unref();

  const release = async () => {
    isReleased = true;
    clearInterval(heartbeat);
    await sql.end({ timeout: 1 });
  };
  const outcome = await acquireLock(sql);
  if (outcome === 'locked') {
    await release();
    throw new StartError(
      'The database of DATABASE_URL is in use by another backend: stop that one first, or name another database.',
    );
  }
  lockSession = outcome;
  hasLock = true;
  return { release };
}

/**
 * @param previous this backend's session that had the lock. The server may not know yet that its connection is lost, so
 *   it is ended here.
 * @returns the session that has the lock now, or 'locked' if another backend has it
 */
async function acquireLock(sql: Sql, previous?: ServerSession): Promise<ServerSession | 'locked'> {
  try {
    if (previous) {
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where pid = ${previous.pid} and backend_start::text = ${previous.backend_start}`;
    }
    await sql.unsafe(`set lock_timeout = ${LOCK_TIMEOUT_MS}; select pg_advisory_lock(${LOCK_KEY})`);
    const [session] = await sql<ServerSession[]>`
      select pid, backend_start::text from pg_stat_activity where pid = pg_backend_pid()`;
    if (!session) throw new Error('The session is missing in the list of sessions.');
    return session;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === '55P03') return 'locked';
    throw error;
  }
}

/** The open sockets to a server. */
export type ServerSockets = {
  /** Options with which the driver opens its sockets here. */
  driverOptions: postgres.Options<Record<string, never>>;
  /** Closes all sockets. The driver then rejects what waits for an answer, and connects again when needed. */
  closeAll(): void;
};
