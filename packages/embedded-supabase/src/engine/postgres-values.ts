import type { PostgresType } from 'postgres';
import { parsers, textOf } from './values.ts';

/*
 * postgres.js shapes values by types of JavaScript, PGlite sends text and lets PostgreSQL read it. Here too it is
 * PostgreSQL that reads: a text stays as it is, so that nothing is encoded twice and a `true` that came in an
 * address is no `false`.
 */

const json = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const type = (oid: number, more: Partial<PostgresType> = {}): PostgresType => ({
  to: oid,
  from: [oid],
  serialize: textOf,
  parse: parsers[oid] ?? ((text: string) => text),
  ...more,
});

/** For `postgresOptions.types` of lite's connection; the names are lite's and the driver's own. */
export const postgresTypes: Record<string, PostgresType> = {
  string: type(25),
  varchar: type(1043),
  boolean: type(16, { parse: (text: string) => text === 't' }),
  bytea: type(17),
  json: type(114, { serialize: json, parse: JSON.parse }),
  jsonb: type(3802, { serialize: json, parse: JSON.parse }),
  numeric: type(1700),
  date: type(1082),
  time: type(1083),
  timestamp: type(1114),
  timestamptz: type(1184),
  timetz: type(1266),
};
