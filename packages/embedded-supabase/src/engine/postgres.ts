import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PostgresConnection } from '@supabase/lite/postgres';
import { Semaphore } from 'async-mutex';
import { LRUCache } from 'lru-cache';
import type { Column, PendingQuery, ResultMeta, Sql } from 'postgres';
import { log } from '../log/log.ts';
import type { Engine } from './engine.ts';
import { isExhausted, isOutdated, isTimeout, resultTooLarge, unavailable, withoutValues } from './errors.ts';
import { openKysely } from './kysely.ts';
import { checkServer, connectOnce } from './postgres-check.ts';
import { holdDatabase } from './postgres-lock.ts';
import {
  type DatabaseSession,
  MAX_PREPARED,
  mayBePrepared,
  type QueryOptions,
  type QueryResult,
  type Sessions,
} from './session.ts';
import { postgresTypes } from './values.ts';
import { currentWork } from './work.ts';

type Server = { url: string; connection: Record<string, string | number>; pauseS: number };

/**
 * A connection that only listens. The driver makes a new one when it is lost, at every pause.
 * @param onListening runs whenever one begins to listen
 * @returns what ends it
 */
async function openListener(
  { url, connection, pauseS }: Server,
  channel: string,
  onPayload: (payload: string) => void,
  onListening: () => void,
): Promise<() => Promise<void>> {
  const sql = connectOnce(url, connection, { backoff: () => pauseS });
  await sql.listen(channel, onPayload, onListening);
  return () => sql.end({ timeout: 1 });
}

/** Sessions for requests: a small machine runs no more at once, and a server allows 100 to all its clients. */
const MAX_SESSIONS = 8;

/** Scripts, each in a session of its own, so that their settings affect no other session. */
const MAX_SCRIPTS = 4;

const CONNECT_WITHIN_S = 5;
/** Tries to reach a server that is gone are this far apart; requests meanwhile are answered at once. */
const PAUSE_S = 0.25;

/** Every session's settings, whatever the server's, the database's or the role's own are. */
const SESSION = {
  application_name: 'embedded-supabase',
  search_path: '"$user", public, extensions',
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  // Our queries are over before they would be compiled.
  jit: 'off',
  // In ms. A request that takes longer is a fault; and nothing may keep its locks while it does something else.
  statement_timeout: 10_000,
  idle_in_transaction_session_timeout: 10_000,
  // In seconds. So that the server lets go of what a machine held that is gone without a word.
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
  const server = await checkServer(url, { ...SESSION });
  const lock = await holdDatabase(url, { ...SESSION }, onLockLost);
  const connection = new PostgresConnection({
    url,
    postgresOptions: {
      max: MAX_SESSIONS,
      connect_timeout: CONNECT_WITHIN_S,
      backoff: () => PAUSE_S,
      connection: SESSION,
      types: postgresTypes,
      onnotice: () => {},
    },
  });
  const sessions = postgresSessions(connection.driver, MAX_SESSIONS);
  const db = openKysely<unknown>(sessions);
  connection.kysely = db;
  const transaction: Engine['transaction'] = (work) =>
    sessions.transaction(async (openSession) => {
      // The owner's own work (migrations, a restore) takes as long as it takes.
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
    execOutsideTransaction: (script) => scripts.runExclusive(() => execInNewSession(url, script)),
    listen: (...hearing) => openListener({ url, connection: { ...SESSION }, pauseS: PAUSE_S }, ...hearing),
    async reclaim() {},
    async close() {
      await connection.driver.end({ timeout: CONNECT_WITHIN_S });
      await lock.letGo();
    },
  };
}

async function execInNewSession(url: string, script: string): Promise<void> {
  const own = { ...SESSION, statement_timeout: 0, idle_in_transaction_session_timeout: 0 };
  const sql = connectOnce(url, own);
  try {
    await openSession(sql, sql).exec(script);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function postgresSessions(pool: Sql, maxSessions: number): Sessions {
  const prepare = repeats();
  return {
    ...openSession(pool, pool, { prepare }),
    maxSessions,
    async transaction<Result>(work: (openSession: DatabaseSession) => Promise<Result>) {
      const lost = { is: false };
      let own: unknown;
      try {
        const result = await pool.begin((transaction) => {
          const inside = openSession(transaction, pool, { lost, prepare });
          // Otherwise the driver would send `rollback` to a lost connection, or to one that another query uses by
          // now. It sends nothing while a query is pending, and `begin` fails with the end of the connection.
          const unlessLost = () => (lost.is ? new Promise<never>(() => {}) : undefined);
          const worked = work(inside).catch((error: unknown) => {
            own = error;
            throw error;
          });
          return worked.finally(unlessLost);
        });
        return result as Result;
      } catch (error) {
        lost.is = true;
        // An error of the work itself may be a file error that looks like a lost connection.
        throw error === own ? error : translateError(error);
      }
    },
  };
}

/**
 * Returns what tells whether a statement ran before, so that the driver prepares it: on each connection, until it
 * renews that.
 */
function repeats(): (statement: string) => boolean {
  const recent = new LRUCache<string, true>({ max: MAX_PREPARED });
  return (statement) => {
    if (recent.get(statement)) return true;
    if (mayBePrepared(statement)) recent.set(statement, true);
    return false;
  };
}

type SessionOptions = {
  /** Of a transaction: becomes true when nothing may be sent to the server any more. */
  lost?: { is: boolean };
  /** Whether to prepare a statement. By default none is. */
  prepare?: (statement: string) => boolean;
};

export function openSession(
  sql: Pick<Sql, 'unsafe'>,
  pool: Sql,
  { lost, prepare = () => false }: SessionOptions = {},
): DatabaseSession {
  const say = async <Result>(statement: () => PromiseLike<Result>): Promise<Result> => {
    if (lost?.is) throw unavailable();
    try {
      return await statement();
    } catch (error) {
      if (lost && isOutage(error)) lost.is = true;
      throw translateError(error);
    }
  };
  return {
    query: <Row>(statement: string, parameters: readonly unknown[] = [], { maxBytes }: QueryOptions = {}) =>
      say(async () => {
        // Type 0 is unknown: PostgreSQL says what it expects, where the driver would guess.
        const values = parameters.map((value) => pool.typed((value ?? null) as string, 0));
        const query = sql.unsafe<object[]>(statement, values, { prepare: prepare(statement) });
        if (maxBytes !== undefined) return readBounded<Row>(query, maxBytes, pool.CLOSE);
        const rows = await query;
        return { rows: [...rows] as Row[], changed: changedBy(rows) };
      }),
    exec: (script) =>
      say(async () => {
        await sql.unsafe(script).simple();
      }),
    async *copyOut(query) {
      const pieces: Uint8Array[] = [];
      await say(async () => {
        const rows: Readable = await sql.unsafe(`copy (${query}) to stdout`).readable();
        // To the end, whatever becomes of the pieces: a stream that is left keeps the driver from its connection.
        for await (const piece of rows) pieces.push(piece);
        // While its stream was full the driver did not listen; one that ends so it forgets to listen to again.
        rows._read(0);
      });
      yield* pieces;
    },
    copyIn: (target, pieces) =>
      say(async () => {
        const copy = sql.unsafe(`copy ${target} from stdin`);
        const rows: Writable = await copy.writable();
        // The driver reports an error after the last chunk only to a promise that has already resolved. Without
        // this listener the copy would never end.
        Object.assign(copy, { reject: (error: Error) => rows.destroy(error) });
        await pipeline(pieces, rows);
      }),
  };
}

/** Rows that are read at once where their bytes are counted. */
const ROWS_AT_ONCE = 50;

/**
 * Reads rows some at a time, as PostgreSQL sends them, so that at most `maxBytes` and one portion are ever here.
 * @throws DatabaseFault `PT413` where there are more
 */
async function readBounded<Row>(
  query: PendingQuery<object[]>,
  maxBytes: number,
  close: Sql['CLOSE'],
): Promise<QueryResult<Row>> {
  const rows: Row[] = [];
  let bytes = 0;
  // Only the first portion brings them.
  let columns: Column<string>[] = [];
  const last = await query.raw().cursor(ROWS_AT_ONCE, (portion) => {
    columns = (portion as unknown as { columns?: Column<string>[] }).columns ?? columns;
    for (const values of portion as unknown as (Buffer | null)[][]) {
      bytes += values.reduce((sum, value) => sum + (value?.length ?? 0), 0);
      if (bytes > maxBytes) return close;
      rows.push(Object.fromEntries(values.map((value, at) => columnOf(columns[at], value))) as Row);
    }
    return undefined;
  });
  if (bytes > maxBytes) throw resultTooLarge();
  return { rows, changed: changedBy(last as unknown as ResultMeta<number>) };
}

/** A value as the driver reads it, under its column's name. */
function columnOf(column: Column<string> | undefined, value: Buffer | null): [string, unknown] {
  const parser = column?.parser as ((text: string) => unknown) & { array?: boolean };
  const text = value?.toString('utf8', parser?.array ? 1 : 0);
  return [column?.name ?? '', text === undefined ? null : parser ? parser(text) : text];
}

const changedBy = ({ command, count }: Pick<ResultMeta<number>, 'command' | 'count'>) =>
  /^(INSERT|UPDATE|DELETE|MERGE)/.test(command ?? '') ? count : undefined;

/** The driver's and the operating system's codes for a line that is cut or was never there. */
const CUT =
  /^(CONNECT(ION)?_[A-Z]+|ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|E(HOST|NET)UNREACH|ENOTFOUND|EAI_AGAIN)$/;

/** The end of a session, or no session at all. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  // PostgreSQL's own: what is fatal ends the session, whatever its code.
  if ('severity' in error) return /^(FATAL|PANIC)$/.test(String(error.severity));
  const noSocket = error.code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect';
  return noSocket || CUT.test(String(error.code));
}

/** The error as the layers above may see it: an outage as such, and no values. */
function translateError(error: unknown): unknown {
  if (isOutage(error)) return unavailable();
  if (isOutdated(error)) return unavailable('The schema has changed.');
  if (isTimeout(error)) currentWork().outcome.timedOut = true;
  if (!isExhausted(error)) return withoutValues(error);
  logExhausted(error as Error);
  return unavailable('The database has no room.');
}

/** Every request meets what a server lacks: it is logged once a minute. */
const LOG_EVERY_MS = 60_000;
let loggedAt = Number.NEGATIVE_INFINITY;

function logExhausted({ message }: Error): void {
  if (performance.now() - loggedAt < LOG_EVERY_MS) return;
  loggedAt = performance.now();
  log.error(`PostgreSQL refuses what would be written: ${message}`);
}
