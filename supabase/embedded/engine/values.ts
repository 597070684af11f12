import { types } from '@electric-sql/pglite';

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
