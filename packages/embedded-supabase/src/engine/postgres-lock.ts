import { setTimeout as wait } from 'node:timers/promises';
import type { Sql } from 'postgres';
import { log } from '../log/log.ts';
import { StartError } from '../start-error.ts';
import { openSingleConnection } from './postgres-check.ts';

/** Key of the backend's advisory lock: the letters of "stop". */
const LOCK_KEY = 0x73746f70;

/** How long to wait for the lock, in ms. The server may still have the session of a backend that was just killed. */
const LOCK_TIMEOUT_MS = 3_000;
const RETRY_INTERVAL_MS = 500;

type DatabaseLock = { release(): Promise<void> };

/**
 * Locks a database for this backend. Two backends would not corrupt its rows, but each would count attempts, sessions
 * and schedules on its own. The lock belongs to a session. After a restart of the server, this function acquires it
 * again.
 * @param onLockLost runs if another backend has acquired the lock by then
 * @throws StartError if another backend has the lock
 */
export async function lockDatabase(
  url: string,
  connection: Record<string, string | number>,
  onLockLost: () => void,
): Promise<DatabaseLock> {
  let isReleased = false;
  let hasLock = false;
  const sql = openSingleConnection(url, connection, {
    idle_timeout: 0,
    max_lifetime: null,
    fetch_types: false,
    onclose: () => {
      if (!hasLock || isReleased) return;
      hasLock = false;
      log.error('The database cannot be reached. Requests are refused until it is back.');
      void reacquireLock();
    },
  });

  async function reacquireLock(): Promise<void> {
    while (!isReleased) {
      await wait(RETRY_INTERVAL_MS);
      const outcome = await acquireLock(sql).catch(() => undefined);
      if (outcome === 'held') {
        hasLock = true;
        log.warn('The database is back.');
        return;
      }
      if (outcome === 'locked') return onLockLost();
    }
  }

  const release = async () => {
    isReleased = true;
    await sql.end({ timeout: 1 });
  };
  if ((await acquireLock(sql)) === 'locked') {
    await release();
    throw new StartError(
      'The database of DATABASE_URL is in use by another backend: stop that one first, or name another database.',
    );
  }
  hasLock = true;
  return { release };
}

async function acquireLock(sql: Sql): Promise<'held' | 'locked'> {
  try {
    await sql.unsafe(`set lock_timeout = ${LOCK_TIMEOUT_MS}; select pg_advisory_lock(${LOCK_KEY})`);
    return 'held';
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === '55P03') return 'locked';
    throw error;
  }
}
