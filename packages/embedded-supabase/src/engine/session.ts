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
export type Session = {
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
export type Sessions = Session & {
  /** Sessions that can be at work at once. */
  maxSessions: number;
  /** Commits when the work is done, rolls back when it throws. */
  transaction<Result>(work: (session: Session) => Promise<Result>): Promise<Result>;
};
