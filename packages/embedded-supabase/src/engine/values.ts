import type { PostgresType } from 'postgres';
import { DatabaseFault } from './errors.ts';

/** OIDs of PostgreSQL's types (pg_type.oid). */
const types = {
  BOOL: 16,
  BYTEA: 17,
  TEXT: 25,
  VARCHAR: 1043,
  TIMESTAMP: 1114,
  TIMESTAMPTZ: 1184,
  NUMERIC: 1700,
};

/** Formats a time as PostgREST does: ISO 8601 with a full offset. Safari cannot parse PostgreSQL's own format. */
const isoTime = (text: string) => text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00');

/** Parses a number. Leaves NaN and the infinities as text, as PostgREST does, because JSON has no such numbers. */
const parseNumber = (text: string) => (Number.isFinite(Number(text)) ? Number(text) : text);

/** Parsers of values by type, where a driver or lite would return another format than PostgREST. */
export const parsers: Record<number, (text: string) => unknown> = {
  [types.TIMESTAMPTZ]: isoTime,
  [types.TIMESTAMP]: isoTime,
  [types.NUMERIC]: parseNumber,
  [types.BYTEA]: (text) => text,
};

/**
 * Formats a parameter as text, which PostgreSQL parses by the type of the column.
 * @throws DatabaseFault for objects and lists
 */
const textOf = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  if (typeof value === 'object') throw new DatabaseFault({ code: '22P02', message: 'invalid input syntax' });
  return String(value);
};

/** Serializers of parameters by type, where PGlite would reject a text or a boolean that PostgreSQL accepts. */
export const serializers: Record<number, (value: unknown) => string> = {
  [types.BOOL]: textOf,
  [types.TEXT]: textOf,
  [types.VARCHAR]: textOf,
};

/*
 * postgres.js serializes a value by its JavaScript type. PGlite sends text, which PostgreSQL parses. These types make
 * postgres.js send text unchanged too. So nothing is encoded twice, and the text `true` from a URL does not become
 * `false`.
 */

const serializeJson = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const postgresType = (oid: number, overrides: Partial<PostgresType> = {}): PostgresType => ({
  to: oid,
  from: [oid],
  serialize: textOf,
  parse: parsers[oid] ?? ((text: string) => text),
  ...overrides,
});

/** Types for `postgresOptions.types` of lite's connection. lite and the driver define the names. */
export const postgresTypes: Record<string, PostgresType> = {
  string: postgresType(25),
  varchar: postgresType(1043),
  boolean: postgresType(16, { parse: (text: string) => text === 't' }),
  bytea: postgresType(17),
  json: postgresType(114, { serialize: serializeJson, parse: JSON.parse }),
  jsonb: postgresType(3802, { serialize: serializeJson, parse: JSON.parse }),
  numeric: postgresType(1700),
  date: postgresType(1082),
  time: postgresType(1083),
  timestamp: postgresType(1114),
  timestamptz: postgresType(1184),
  timetz: postgresType(1266),
};
