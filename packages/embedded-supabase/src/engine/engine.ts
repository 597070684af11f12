import type { PostgresConnection } from '@supabase/lite/postgres';
import type { Kysely } from 'kysely';

/** The database of the backend: PGlite in a thread of this process, or a PostgreSQL server. */
export type Engine = {
  kind: 'pglite' | 'postgres';
  /** Version of the engine. */
  version: string;
  /** Major version of PostgreSQL. */
  postgres: number;
  /** lite's connection object. Only lite uses it. */
  connection: PostgresConnection;
  /** Kysely instance for requests. */
  db: Kysely<unknown>;
  /** Runs statements as the owner of the database. Discards their results. */
  exec(script: string): Promise<void>;
  /**
   * Runs statements as the owner of the database, without a transaction around them. Use it for statements that allow
   * none (VACUUM) or commit themselves (CALL). On PostgreSQL they run in parallel with requests.
   */
  execOutsideTransaction(script: string): Promise<void>;
  /**
   * Runs work as the owner of the database in one transaction. Rolls back if the work throws. The work must not wait
   * for a network, because on PGlite every request waits for the work.
   */
  transaction<Result>(work: (session: DatabaseSession) => Promise<Result>): Promise<Result>;
  /**
   * Listens to a channel. Payloads arrive in the order of commits, from the moment this promise resolves.
   * @param onListening runs each time listening begins: also after a lost connection or a restart of the database, when
   *   payloads may have been missed
   * @returns a function that stops listening
   */
  listen(
    channel: string,
    onPayload: (payload: string) => void,
    onListening: () => void,
  ): Promise<() => Promise<void>>;
  /** Frees the space of deleted rows of a table, if the engine does not do so automatically. */
  reclaim(table: string): Promise<void>;
  /** Writes everything to the disk and closes the database. */
  close(): Promise<void>;
};

export type QueryResult<Row> = {
  rows: Row[];
  /** Number of rows that the statement changed, if it is a statement that changes rows. */
  affectedRows: number | undefined;
};

/** Options of one statement. */
export type QueryOptions = {
  /** The statement fails with `PT413`, before all rows are read, if the rows are larger than this. */
  maxBytes?: number;
};

/** Runs statements. Errors contain neither the parameters nor the row that violated a constraint. */
export type DatabaseSession = {
  query<Row>(
    statement: string,
    parameters?: readonly unknown[],
    options?: QueryOptions,
  ): Promise<QueryResult<Row>>;
  /** Runs any number of statements without parameters and discards their results. */
  exec(script: string): Promise<void>;
  /** Returns the rows of a query in COPY's text format. All of them must fit into memory at once. */
  copyOut(query: string): AsyncIterable<Uint8Array>;
  /**
   * Inserts rows that are given in COPY's text format.
   * @param target quoted name of the table, with its columns: `"public"."notes" ("id", "body")`
   * @param pieces may be split anywhere, also within a row
   */
  copyIn(target: string, pieces: AsyncIterable<Uint8Array>): Promise<void>;
};

/** Runs statements on a database, each on its own or several in one transaction. */
export type SessionPool = DatabaseSession & {
  /** Number of sessions that can run statements at once. */
  maxSessions: number;
  /** Runs work in a transaction. Commits when the work resolves, and rolls back when it throws. */
  transaction<Result>(work: (session: DatabaseSession) => Promise<Result>): Promise<Result>;
};

/** Number of rows read at once if `maxBytes` is set. At most these are in memory beyond the limit. */
export const ROWS_PER_PORTION = 50;

/** Number of statements that a session keeps prepared: the last ones that ran more than once. Each plan uses memory. */
export const MAX_PREPARED_STATEMENTS = 100;

/** Maximum length of a prepared statement in characters. Longer ones write many rows at once and seldom repeat. */
const MAX_PREPARED_LENGTH = 16_384;

/**
 * Whether a statement may be prepared. The plan that PostgreSQL keeps for a prepared statement does not know its limit:
 * it read thousands of rows for ten key events.
 */
export const isPreparable = (statement: string) =>
  statement.length <= MAX_PREPARED_LENGTH && !/\blimit \$\d/.test(statement);

/** Bytes of rows that PGlite gets at once. PGlite holds a second copy of them. */
const CHUNK_BYTES = 8 * 1024 * 1024;

const NEWLINE = 0x0a;

/**
 * Joins and splits pieces of COPY's text format so that each returned piece ends at the end of a row. A line feed
 * always ends a row, because COPY writes a line feed inside a value as a backslash and an n.
 */
export async function* splitAtRowEnds(
  pieces: AsyncIterable<Uint8Array>,
  chunkBytes = CHUNK_BYTES,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let buffered: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    buffered.push(piece);
    size += piece.length;
    const end = piece.lastIndexOf(NEWLINE) + 1;
    if (size < chunkBytes || end === 0) continue;
    const rest = piece.subarray(end);
    yield Buffer.concat([...buffered.slice(0, -1), piece.subarray(0, end)]);
    buffered = [rest];
    size = rest.length;
  }
  if (size > 0) yield Buffer.concat(buffered);
}
