/** The numeric limits of one query. The access list defines which tables, columns and functions are offered. */
export type QueryLimits = {
  /** Rows of the queried table. */
  rows: number;
  /** Rows of the queried table if it embeds other tables, because each row then needs a lookup in each of them. */
  rowsWithEmbeds: number;
  /** Embedded rows of one parent row, by depth. A query may not embed deeper than this list is long. */
  embeddedRows: number[];
  /** Embedded tables, at all depths together. */
  embeds: number;
  /** Rows that may be skipped. The database reads skipped rows too. */
  offset: number;
  /** Conditions at all depths together, including nested and negated ones. */
  conditions: number;
  /** Values in all lists of `in` together. */
  listItems: number;
  /** Characters of one compared value. */
  valueLength: number;
  /** Columns that one level may be ordered by. */
  orders: number;
  /** Bytes of a function's arguments. */
  argumentBytes: number;
  /** Bytes of the response. The database ends the query when its rows are larger. */
  responseBytes: number;
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
    responseBytes: MB,
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
    // The desk reads at most 100 updates at once. With 10,000 characters each, photos and bylines, they are 1.5 MB.
    responseBytes: 4 * MB,
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
    // All data of one person, with 14,000 updates of 60 words, is about 20 MB. Nothing larger was measured.
    responseBytes: 64 * MB,
  },
};

/** Level of trust in a caller. Every limit of a service depends on it. */
export type CallerClass =
  /** A client without a session, other than the website's own server. */
  | 'visitor'
  /** A signed-in client, other than the server. Readers and staff have the same role in their tokens. */
  | 'signed_in'
  /** The website's own server, for a visitor or with the token of a session. */
  | 'website'
  /** A caller with the secret key. */
  | 'server';
