/** The numeric limits of one query. The access list says which tables, columns and functions there are. */
export type QueryLimits = {
  /** Rows of the queried table. */
  rows: number;
  /** The same where the query embeds other tables, because every row is then a lookup in each of them. */
  rowsWithEmbeds: number;
  /** Embedded rows of one parent row, by depth. A query may not embed deeper than this list is long. */
  embeddedRows: number[];
  /** Embedded tables, at all depths together. */
  embeds: number;
  /** Rows that may be skipped: the database reads them all. */
  offset: number;
  /** Conditions at all depths, after every kind of nesting and negation. */
  conditions: number;
  /** Values in all lists of `in` together. */
  listItems: number;
  /** Characters of one compared value. */
  valueLength: number;
  /** Columns that one level may be ordered by. */
  orders: number;
  /** Bytes of a function's arguments. */
  argumentBytes: number;
  /** Bytes of the answer. The database ends the query when its rows are larger. */
  answerBytes: number;
};

const KB = 1024;
const MB = 1024 * KB;

/** The limits of each class; the secret key has none. */
export const QUERY_LIMITS: Record<Exclude<CallerClass, 'server'>, QueryLimits> = {
  visitor: {
    rows: 100,
    rowsWithEmbeds: 10,
    embeddedRows: [9, 3],
    embeds: 2,
    offset: 1_000,
    conditions: 20,
    listItems: 100,
    valueLength: 500,
    orders: 3,
    argumentBytes: 4 * KB,
    // 100 updates of 60 words are 90 KB, and 20 of 10,000 characters 250 KB.
    answerBytes: MB,
  },
  signed_in: {
    rows: 1_000,
    rowsWithEmbeds: 100,
    embeddedRows: [50, 5],
    embeds: 4,
    offset: 1_000,
    conditions: 50,
    listItems: 1_000,
    valueLength: 1_000,
    orders: 4,
    argumentBytes: 256 * KB,
    // The desk reads at most 100 updates at once: of 10,000 characters each they are 1.5 MB with photos and bylines.
    answerBytes: 4 * MB,
  },
  website: {
    rows: 1_000,
    rowsWithEmbeds: 1_000,
    embeddedRows: [1_000, 1_000, 1_000],
    embeds: 8,
    offset: 100_000,
    conditions: 100,
    listItems: 1_000,
    valueLength: 1_000,
    orders: 4,
    argumentBytes: 256 * KB,
    // All data of one person: 14,000 updates of 60 words, the largest that was measured, are about 20 MB.
    answerBytes: 64 * MB,
  },
};

/** How far a caller is trusted, for every limit of a service. */
export type CallerClass =
  /** No session, from outside. */
  | 'visitor'
  /** A signed-in client that is not the server: readers and staff have the same role in their tokens. */
  | 'signed_in'
  /** The website's own server, for a visitor or with the token of a session. */
  | 'website'
  /** The secret key. */
  | 'server';
