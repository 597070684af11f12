import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type KyselyPlugin,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  ValuesNode,
} from 'kysely';
import { FairSemaphore } from '../fair-semaphore.ts';
import { backendLog } from '../log/log.ts';
import { counters } from '../metrics/counters.ts';
import type { DatabaseSession, SessionPool } from './engine.ts';
import { DatabaseFault, markUnavailable } from './errors.ts';
import { currentWorkContext } from './work.ts';

/**
 * Maximum wait for a session, in ms. On PGlite a wait this long is a bug: a query uses the outer database inside a
 * transaction, or a transaction stays open during I/O. On a server it means overload.
 */
const MAX_WAIT_MS = 10_000;

/** Rejection reason that makes the engine roll back a transaction. */
const ROLLBACK = Symbol('rollback');

/**
 * Opens Kysely on either engine, with transactions that cannot interleave.
 *
 * If BEGIN, SET ROLE, query and COMMIT of two requests were mixed in one session, an anonymous reader could see rows
 * that only the server may see. So a session serves one caller at a time. A transaction runs inside the engine's own
 * transaction, which also excludes callers that use the engine directly. Clients take turns (fair-semaphore.ts).
 */
export const openKysely = <Tables>(sessions: SessionPool, maxWaitMs = MAX_WAIT_MS): Kysely<Tables> =>
  createKysely(new SessionDriver(sessions, maxWaitMs));

/** Creates a Kysely for PostgreSQL with a custom driver. */
export const createKysely = <Tables>(driver: Driver): Kysely<Tables> =>
  new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    plugins: [insertDefaults],
  });

/** Inserts a row of defaults where a query names no column. Kysely would write `insert into "t" () values ()`. */
const insertDefaults: KyselyPlugin = {
  transformQuery({ node }) {
    if (node.kind !== 'InsertQueryNode' || node.columns?.length !== 0) return node;
    const isOneRow = node.values && ValuesNode.is(node.values) && node.values.values.length === 1;
    return isOneRow ? { ...node, columns: undefined, values: undefined, defaultValues: true } : node;
  },
  transformResult: async ({ result }) => result,
};

class SessionDriver implements Driver {
  readonly #sessions: SessionPool;
  readonly #semaphore: FairSemaphore;

  constructor(sessions: SessionPool, maxWaitMs: number) {
    this.#sessions = sessions;
    this.#semaphore = new FairSemaphore({
      size: sessions.maxSessions,
      maxWaitMs,
      rejection: () => markUnavailable('Waited too long for a database session.'),
    });
  }

  async init() {}

  async acquireConnection() {
    try {
      const release = await this.#semaphore.acquire(currentWorkContext().client);
      return new Connection(this.#sessions, release);
    } catch (error) {
      counters.database_waits_given_up += 1;
      backendLog.warn((error as Error).message);
      throw error;
    }
  }

  beginTransaction(connection: Connection) {
    return connection.begin();
  }

  commitTransaction(connection: Connection) {
    return connection.commit();
  }

  rollbackTransaction(connection: Connection) {
    return connection.rollback();
  }

  async releaseConnection(connection: Connection) {
    connection.release();
  }

  async destroy() {}
}

class Connection implements DatabaseConnection {
  readonly #sessions: SessionPool;
  readonly release: () => void;
  #transaction: { of: DatabaseSession; end: PromiseWithResolvers<void>; ended: Promise<void> } | undefined;

  /** @param release gives the session to the next caller */
  constructor(sessions: SessionPool, release: () => void) {
    this.#sessions = sessions;
    this.release = release;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    refuseNul(query.sql);
    const session = this.#transaction?.of ?? this.#sessions;
    const { maxResultBytes: maxBytes } = currentWorkContext();
    const { rows, affectedRows } = await session.query<Row>(query.sql, query.parameters, { maxBytes });
    return { rows, numAffectedRows: affectedRows === undefined ? undefined : BigInt(affectedRows) };
  }

  streamQuery(): never {
    throw new Error('Streaming is not offered: a session would be held while the reader is slow.');
  }

  /**
   * Begins a transaction of the engine. The engine keeps it open while its work runs, so the work waits for `commit` or
   * `rollback`.
   */
  async begin() {
    const started = Promise.withResolvers<DatabaseSession>();
    const end = Promise.withResolvers<void>();
    const ended = this.#sessions.transaction((session) => {
      started.resolve(session);
      return end.promise;
    });
    ended.catch(started.reject);
    this.#transaction = { of: await started.promise, end, ended };
  }

  async commit() {
    const transaction = this.#transaction;
    this.#transaction = undefined;
    transaction?.end.resolve();
    await transaction?.ended;
  }

  async rollback() {
    const transaction = this.#transaction;
    this.#transaction = undefined;
    transaction?.end.reject(ROLLBACK);
    await transaction?.ended.catch((reason: unknown) => {
      if (reason !== ROLLBACK) throw reason;
    });
  }
}

/**
 * Rejects NUL characters. The protocol sends a statement as a NUL-terminated string, and column names come from URLs.
 * @throws DatabaseFault with the code that PostgreSQL uses for such a value
 */
function refuseNul(statement: string): void {
  if (!statement.includes('\0')) return;
  throw new DatabaseFault({ code: '22021', message: 'invalid byte sequence for encoding "UTF8": 0x00' });
}
