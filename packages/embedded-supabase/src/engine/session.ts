export type QueryResult<Row> = {
  rows: Row[];
  /** How many rows a statement changed, where it is one that changes rows. */
  changed: number | undefined;
};

/** Options of one statement. */
export type QueryOptions = {
  /** Fails with `PT413` when its rows are larger than this, before all of them are read. */
  maxBytes?: number;
};

/** Where statements run. Its errors name neither the values that were sent nor the row that broke a rule. */
export type DatabaseSession = {
  query<Row>(
    statement: string,
    parameters?: readonly unknown[],
    options?: QueryOptions,
  ): Promise<QueryResult<Row>>;
  /** Runs any number of statements without parameters and discards their results. */
  exec(script: string): Promise<void>;
  /** The rows of a query in COPY's text format. Of rows that fit into memory, all together. */
  copyOut(query: string): AsyncIterable<Uint8Array>;
  /**
   * Adds rows in COPY's text format.
   * @param target quoted, with its columns: `"public"."notes" ("id", "body")`
   * @param pieces may be cut anywhere
   */
  copyIn(target: string, pieces: AsyncIterable<Uint8Array>): Promise<void>;
};

/** The way into a database: each statement for itself, or several in one transaction. */
export type Sessions = DatabaseSession & {
  /** Sessions that can be at work at once. */
  maxSessions: number;
  /** Commits when the work is done, rolls back when it throws. */
  transaction<Result>(work: (session: DatabaseSession) => Promise<Result>): Promise<Result>;
};

/** Statements that a session keeps prepared: the last ones that ran more than once. Each keeps its plan in memory. */
export const MAX_PREPARED = 100;

/** Maximum length of a prepared statement in characters. Longer ones write many rows at once and seldom repeat. */
const MAX_PREPARED_LENGTH = 16_384;

export const mayBePrepared = (statement: string) => statement.length <= MAX_PREPARED_LENGTH;

/** Bytes of rows that PGlite is given at once: it holds a copy of its own. */
const AT_ONCE = 8 * 1024 * 1024;

const NEWLINE = 0x0a;

/**
 * Pieces of COPY's text format, cut anywhere, as pieces that end where a row ends. A line feed always ends a row: one
 * inside a value is written as a backslash and an n.
 */
export async function* queryRows(
  pieces: AsyncIterable<Uint8Array>,
  atOnce = AT_ONCE,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let kept: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    kept.push(piece);
    size += piece.length;
    const end = piece.lastIndexOf(NEWLINE) + 1;
    if (size < atOnce || end === 0) continue;
    const rest = piece.subarray(end);
    yield Buffer.concat([...kept.slice(0, -1), piece.subarray(0, end)]);
    kept = [rest];
    size = rest.length;
  }
  if (size > 0) yield Buffer.concat(kept);
}
