import type { PGlite, Transaction } from '@electric-sql/pglite';
import { Mutex, withTimeout } from 'async-mutex';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';

/** A wait this long is a bug: somebody uses the outer database inside a transaction, or holds one open over I/O. */
const LONGEST_WAIT_MS = 10_000;

/**
 * Kysely on PGlite whose transactions cannot interleave.
 *
 * PGlite has one session. Were BEGIN, SET ROLE, the query and COMMIT of two requests to mix in it, an anonymous
 * reader would see what the server may see. So a connection is taken by one user at a time, and a transaction
 * lives inside PGlite's own, which also keeps out whoever uses PGlite without Kysely.
 */
export function openKysely<Tables>(pg: PGlite, longestWaitMs = LONGEST_WAIT_MS): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new OneSessionDriver(pg, longestWaitMs),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
}

class OneSessionDriver implements Driver {
  readonly #pg: PGlite;
  readonly #turn;

  constructor(pg: PGlite, longestWaitMs: number) {
    this.#pg = pg;
    this.#turn = withTimeout(
      new Mutex(),
      longestWaitMs,
      new Error('Waited too long for the database session.'),
    );
  }

  async init() {
    await this.#pg.waitReady;
  }

  async acquireConnection() {
    await this.#turn.acquire();
    return new OneSession(this.#pg);
  }

  beginTransaction(connection: OneSession) {
    return connection.begin();
  }

  commitTransaction(connection: OneSession) {
    return connection.end();
  }

  rollbackTransaction(connection: OneSession) {
    return connection.end({ rollback: true });
  }

  async releaseConnection() {
    this.#turn.release();
  }

  async destroy() {}
}

class OneSession implements DatabaseConnection {
  readonly #pg: PGlite;
  #transaction: { of: Transaction; end: () => void; ended: Promise<void> } | undefined;

  constructor(pg: PGlite) {
    this.#pg = pg;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const session = this.#transaction?.of ?? this.#pg;
    try {
      const { rows, affectedRows } = await session.query<Row>(query.sql, [...query.parameters]);
      return { rows, numAffectedRows: affectedRows === undefined ? undefined : BigInt(affectedRows) };
    } catch (error) {
      throw withoutValues(withCode(error));
    }
  }

  streamQuery(): never {
    throw new Error('Streaming is not offered: the one session would be held while the reader is slow.');
  }

  /** PGlite keeps a transaction open for as long as its callback runs, so the callback waits for our end. */
  async begin() {
    const started = Promise.withResolvers<Transaction>();
    const wanted = Promise.withResolvers<void>();
    const ended = this.#pg.transaction((transaction) => {
      started.resolve(transaction);
      return wanted.promise;
    });
    ended.catch(started.reject);
    this.#transaction = { of: await started.promise, end: wanted.resolve, ended };
  }

  async end({ rollback = false } = {}) {
    const transaction = this.#transaction;
    if (!transaction) return;
    this.#transaction = undefined;
    try {
      if (rollback) await transaction.of.rollback();
    } finally {
      transaction.end();
      await transaction.ended;
    }
  }
}

/** PGlite judges the values of some types before PostgreSQL sees them, in an error of its own without a code. */
function withCode(error: unknown): unknown {
  const type = error instanceof Error && /^Invalid input for (\w+) type$/.exec(error.message)?.[1];
  return type ? Object.assign(new Error(`invalid input syntax for type ${type}`), { code: '22P02' }) : error;
}

/**
 * PGlite hangs the statement and its values on an error, and PostgreSQL quotes the row that broke a constraint
 * (class 23). They are people's words and addresses, and errors are logged and answered.
 */
function withoutValues(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  for (const part of ['query', 'params', 'queryOptions']) Reflect.deleteProperty(error, part);
  if ('code' in error && String(error.code).startsWith('23')) Reflect.deleteProperty(error, 'detail');
  return error;
}
