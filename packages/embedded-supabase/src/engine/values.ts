import type { PostgresType } from 'postgres';
import { DatabaseFault } from './errors.ts';

/** Numbers of PostgreSQL's types (pg_type.oid). */
const types = {
  BOOL: 16,
  BYTEA: 17,
  TEXT: 25,
  VARCHAR: 1043,
  TIMESTAMP: 1114,
  TIMESTAMPTZ: 1184,
  NUMERIC: 1700,
};

/** PostgREST writes times as ISO 8601 with a full offset; PostgreSQL's own text is refused by Safari. */
const isoTime = (text: string) => text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00');

/** NaN and the infinities have no JSON number; PostgREST leaves them as text, and so do we. */
const number = (text: string) => (Number.isFinite(Number(text)) ? Number(text) : text);

/** How values leave the database, by type, where a driver or lite would shape them otherwise than PostgREST does. */
export const parsers: Record<number, (text: string) => unknown> = {
  [types.TIMESTAMPTZ]: isoTime,
  [types.TIMESTAMP]: isoTime,
  [types.NUMERIC]: number,
  [types.BYTEA]: (text) => text,
};

/** A parameter as the text that PostgreSQL reads by the type of its column. @throws DatabaseFault for objects and lists */
const textOf = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  if (typeof value === 'object') throw new DatabaseFault({ code: '22P02', message: 'invalid input syntax' });
  return String(value);
};

/** How parameters enter PGlite, by type, where it would refuse a text or a boolean that PostgreSQL reads. */
export const serializers: Record<number, (value: unknown) => string> = {
  [types.BOOL]: textOf,
  [types.TEXT]: textOf,
  [types.VARCHAR]: textOf,
};

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
