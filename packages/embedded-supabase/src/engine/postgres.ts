import { connect, type Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PostgresConnection } from '@supabase/lite/postgres';
import { Semaphore } from 'async-mutex';
import { LRUCache } from 'lru-cache';
import type { Column, PendingQuery, ResultMeta, Sql } from 'postgres';
import { backendLog } from '../log/log.ts';
import {
  type DatabaseSession,
  type Engine,
  isPreparable,
  MAX_PREPARED_STATEMENTS,
  type QueryOptions,
  type QueryResult,
  ROWS_PER_PORTION,
  type SessionPool,
} from './engine.ts';
import {
  isOutOfResources,
  isStaleStatement,
  isTimeoutError,
  markUnavailable,
  redactDriverError,
  resultTooLargeError,
} from './errors.ts';
import { openKysely } from './kysely.ts';
import { checkServer, openSingleConnection } from './postgres-check.ts';
import { lockDatabase, type ServerSockets } from './postgres-lock.ts';
import { postgresTypes } from './values.ts';
import { currentWorkContext } from './work.ts';

type Server = { url: string; sockets: ServerSockets };

/** The addresses of a server, as the driver passes them to its option `socket`. A URL may name several hosts. */
type Addresses = { host: string[]; port: number[]; path: string | false };

/**
 * Collects the sockets of all connections to one server, so that they can be closed when its machine vanishes. TCP
 * would send again for up to 15 minutes, and the driver cannot close a connection that waits for an answer.
 */
function collectSockets(): ServerSockets {
  const sockets = new Set<Socket>();
  let attempts = 0;
  function openSocket({ host, port, path }: Addresses): Socket {
    const index = attempts++ % host.length;
    const socket = path ? connect(path) : connect(port[index] as number, host[index]);
    // The driver removes the listeners of a socket, so there is none for its close.
    for (const other of sockets) if (other.destroyed) sockets.delete(other);
    sockets.add(socket);
    // The driver verifies the certificate for this name.
    return Object.assign(socket, { host: host[index] });
  }
  return {
    // The driver's types do not have this option.
    driverOptions: { socket: openSocket } as ServerSockets['driverOptions'],
    closeAll() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/**
 * Opens a connection that only listens to a channel. If the connection is lost, the driver reconnects.
 * @param onListening runs each time a connection begins to listen
 * @returns a function that closes the connection
 */
async function openListener(
  { url, sockets }: Server,
  channel: string,
  onPayload: (payload: string) => void,
  onListening: () => void,
): Promise<() => Promise<void>> {
  const sql = openSingleConnection(url, SESSION_SETTINGS, {
    ...sockets.driverOptions,
    backoff: () => RECONNECT_INTERVAL_S,
  });
  await sql.listen(channel, onPayload, onListening);
  return () => sql.end({ timeout: 1 });
}

/** Sessions for requests. A small machine runs no more at once, and a server allows 100 to all its clients together. */
const MAX_SESSIONS = 8;

/** Scripts that run at once. Each has its own session, so that its settings affect no other session. */
const MAX_SCRIPTS = 4;

const CONNECT_TIMEOUT_S = 5;
/** Seconds between attempts to reconnect to a lost server. Meanwhile requests are answered at once. */
const RECONNECT_INTERVAL_S = 0.25;

/** Settings of every session. They override those of the server, the database and the role. */
const SESSION_SETTINGS = {
  application_name: 'embedded-supabase',
  search_path: '"$user", public, extensions',
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  // Our queries finish before JIT compilation would.
  jit: 'off',
  // In ms. A request that takes longer is a fault. A transaction must not keep its locks while it is idle.
  statement_timeout: 10_000,
  idle_in_transaction_session_timeout: 10_000,
  // In seconds. The server then ends the sessions of a machine that vanished, and releases their locks.
  tcp_keepalives_idle: 30,
  tcp_keepalives_interval: 10,
};

/**
 * Opens a PostgreSQL database for one backend at a time.
 * @param url postgres://…; contains a password and is never logged
 * @param onLockLost runs if another backend has locked the database while the connection was lost
 * @throws StartError if the database is unreachable, too old, in use, or the role lacks a right
 */
export async function openPostgres(url: string, onLockLost: () => void): Promise<Engine> {
  const server = await checkServer(url, { ...SESSION_SETTINGS });
  const sockets = collectSockets();
  const lock = await lockDatabase(url, { ...SESSION_SETTINGS }, sockets, onLockLost);
  const connection = new PostgresConnection({
    url,
    postgresOptions: {
      ...sockets.driverOptions,
      max: MAX_SESSIONS,
      connect_timeout: CONNECT_TIMEOUT_S,
      backoff: () => RECONNECT_INTERVAL_S,
      connection: SESSION_SETTINGS,
      types: postgresTypes,
      onnotice: () => {},
    },
  });
  const sessions = postgresSessions(connection.driver, MAX_SESSIONS);
  const db = openKysely<unknown>(sessions);
  connection.kysely = db;
  const transaction: Engine['transaction'] = (work) =>
    sessions.transaction(async (openSession) => {
      // The owner's own work, such as migrations or a restore, has no time limit.
      await openSession.exec(
        'set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0',
      );
      return work(openSession);
    });
  const scripts = new Semaphore(MAX_SCRIPTS);
  return {
    kind: 'postgres',
    version: server.version,
    postgres: server.major,
    connection,
    db,
    transaction,
    exec: (script) => transaction((openSession) => openSession.exec(script)),
    execOutsideTransaction: (script) =>
      scripts.runExclusive(() => execInNewSession({ url, sockets }, script)),
    listen: (...listenerArgs) => openListener({ url, sockets }, ...listenerArgs),
    async reclaim() {},
    async close() {
      await connection.driver.end({ timeout: CONNECT_TIMEOUT_S });
      await lock.release();
    },
  };
}

async function execInNewSession({ url, sockets }: Server, script: string): Promise<void> {
  const settings = { ...SESSION_SETTINGS, statement_timeout: 0, idle_in_transaction_session_timeout: 0 };
  const sql = openSingleConnection(url, settings, sockets.driverOptions);
  try {
    await openSession(sql, sql).exec(script);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function postgresSessions(pool: Sql, maxSessions: number): SessionPool {
  const prepare = trackRepeats();
  return {
    ...openSession(pool, pool, { prepare }),
    maxSessions,
    async transaction<Result>(work: (openSession: DatabaseSession) => Promise<Result>) {
      const lost = { is: false };
      let workError: unknown;
      try {
        const result = await pool.begin((transaction) => {
          const session = openSession(transaction, pool, { lost, prepare });
          // After a loss this promise never settles. Otherwise the driver would send `rollback` to the lost connection,
          // or to one that another query uses by now. Instead, `begin` rejects when the connection closes.
          const hangIfLost = () => (lost.is ? new Promise<never>(() => {}) : undefined);
          const workResult = work(session).catch((error: unknown) => {
            workError = error;
            throw error;
          });
          return workResult.finally(hangIfLost);
        });
        return result as Result;
      } catch (error) {
        lost.is = true;
        // An error of the work itself is not translated: a file error may look like a lost connection.
        throw error === workError ? error : translateError(error);
      }
    },
  };
}

/**
 * Returns a function that reports whether a statement ran before. If so, the driver prepares it on each connection, and
 * again after it renews a connection.
 */
function trackRepeats(): (statement: string) => boolean {
  const recent = new LRUCache<string, true>({ max: MAX_PREPARED_STATEMENTS });
  return (statement) => {
    if (recent.get(statement)) return true;
    if (isPreparable(statement)) recent.set(statement, true);
    return false;
  };
}

type SessionOptions = {
  /** For a transaction. `is` becomes true when nothing more may be sent to the server. */
  lost?: { is: boolean };
  /** Returns whether to prepare a statement. Default: never. */
  prepare?: (statement: string) => boolean;
};

export function openSession(
  sql: Pick<Sql, 'unsafe'>,
  pool: Sql,
  { lost, prepare = () => false }: SessionOptions = {},
): DatabaseSession {
  const runStatement = async <Result>(statement: () => PromiseLike<Result>): Promise<Result> => {
    if (lost?.is) throw markUnavailable();
    try {
      return await statement();
    } catch (error) {
      if (lost && isOutage(error)) lost.is = true;
      throw translateError(error);
    }
  };
  return {
    query: <Row>(statement: string, parameters: readonly unknown[] = [], { maxBytes }: QueryOptions = {}) =>
      runStatement(async () => {
        // Type 0 means unknown: PostgreSQL reports the type that it expects. Otherwise the driver would guess.
        const values = parameters.map((value) => pool.typed((value ?? null) as string, 0));
        const query = sql.unsafe<object[]>(statement, values, { prepare: prepare(statement) });
        if (maxBytes !== undefined) return readBounded<Row>(query, maxBytes, pool.CLOSE);
        const rows = await query;
        return { rows: [...rows] as Row[], affectedRows: changedBy(rows) };
      }),
    exec: (script) =>
      runStatement(async () => {
        await sql.unsafe(script).simple();
      }),
    async *copyOut(query) {
      const pieces: Uint8Array[] = [];
      await runStatement(async () => {
        const rows: Readable = await sql.unsafe(`copy (${query}) to stdout`).readable();
        // Reads to the end even if the caller stops early: an unfinished stream blocks the driver's connection.
        for await (const piece of rows) pieces.push(piece);
        // The driver pauses its socket while the stream is full. If the copy ends then, the driver does not resume the
        // socket, so this call does.
        rows._read(0);
      });
      yield* pieces;
    },
    copyIn: (target, pieces) =>
      runStatement(async () => {
        const copy = sql.unsafe(`copy ${target} from stdin`);
        const rows: Writable = await copy.writable();
        // The driver reports an error after the last chunk only to a promise that has already resolved. Without
        // this listener the copy would never end.
        Object.assign(copy, { reject: (error: Error) => rows.destroy(error) });
        await pipeline(pieces, rows);
      }),
  };
}

/**
 * Reads rows in portions, so that this process holds at most `maxBytes` and one portion.
 * @throws DatabaseFault `PT413` if the rows are larger than `maxBytes`
 */
async function readBounded<Row>(
  query: PendingQuery<object[]>,
  maxBytes: number,
  close: Sql['CLOSE'],
): Promise<QueryResult<Row>> {
  const rows: Row[] = [];
  let bytes = 0;
  // Only the first portion contains the columns.
  let columns: Column<string>[] = [];
  const last = await query.raw().cursor(ROWS_PER_PORTION, (portion) => {
    columns = (portion as unknown as { columns?: Column<string>[] }).columns ?? columns;
    for (const values of portion as unknown as (Buffer | null)[][]) {
      bytes += values.reduce((sum, value) => sum + (value?.length ?? 0), 0);
      if (bytes > maxBytes) return close;
      rows.push(Object.fromEntries(values.map((value, index) => columnOf(columns[index], value))) as Row);
    }
    return undefined;
  });
  if (bytes > maxBytes) throw resultTooLargeError();
  return { rows, affectedRows: changedBy(last as unknown as ResultMeta<number>) };
}

/** Parses a value as the driver does. @returns the name of its column and the value */
function columnOf(column: Column<string> | undefined, value: Buffer | null): [string, unknown] {
  const parser = column?.parser as ((text: string) => unknown) & { array?: boolean };
  const text = value?.toString('utf8', parser?.array ? 1 : 0);
  return [column?.name ?? '', text === undefined ? null : parser ? parser(text) : text];
}

const changedBy = ({ command, count }: Pick<ResultMeta<number>, 'command' | 'count'>) =>
  /^(INSERT|UPDATE|DELETE|MERGE)/.test(command ?? '') ? count : undefined;

/** Error codes of the driver and the operating system for a connection that was lost or could not be opened. */
const CONNECTION_ERROR =
  /^(CONNECT(ION)?_[A-Z]+|ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|E(HOST|NET)UNREACH|ENOTFOUND|EAI_AGAIN)$/;

/** Returns whether an error means that a session ended or could not be opened. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  // This is an error of PostgreSQL. A fatal one ends the session, whatever its code.
  if ('severity' in error) return /^(FATAL|PANIC)$/.test(String(error.severity));
  const isSocketMissing = error.code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect';
  return isSocketMissing || CONNECTION_ERROR.test(String(error.code));
}

/** Converts an error to one for the layers above: UnavailableError for an outage, and without values. */
function translateError(error: unknown): unknown {
  if (isOutage(error)) return markUnavailable();
  if (isStaleStatement(error)) return markUnavailable('The schema has changed.');
  if (isTimeoutError(error)) currentWorkContext().outcome.timedOut = true;
  if (!isOutOfResources(error)) return redactDriverError(error);
  logExhausted(error as Error);
  return markUnavailable('The database has no room.');
}

/** Minimum time between two log lines, in ms. Every request fails while the server lacks resources. */
const LOG_EVERY_MS = 60_000;
let loggedAt = Number.NEGATIVE_INFINITY;

function logExhausted({ message }: Error): void {
  if (performance.now() - loggedAt < LOG_EVERY_MS) return;
  loggedAt = performance.now();
  backendLog.error(`PostgreSQL refuses writes: ${message}`);
}
