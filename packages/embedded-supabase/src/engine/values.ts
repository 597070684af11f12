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
export const textOf = (value: unknown): string => {
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
