import { type Declared, pathWith } from './paths.ts';

/**
 * Where a list by time is cut into pages. A page ends where the times of two neighbours differ most: between two months
 * rather than between two days, two hours, two minutes. So its address says a time in few letters (`2026-11`), what stands
 * there does not move when something newer comes, and whoever cuts the same list again cuts it there again.
 */
export type Place = {
  /** UTC, to the microsecond, as the database writes it: `2026-11-21T14:02:10.123456`. */
  place: string;
  id: string;
};

/** How many a page holds: at least so many, where there are, and at most. */
export type Room = { least: number; most: number };

/** Letters of a place that name its year, month, day, hour, minute, second and microsecond. */
const UNITS = [4, 7, 10, 13, 16, 19, 26];

/** @param places the newest first, one more than a page holds where there are so many. @returns how many stand on the page, and what the next one comes before */
export function cutList(places: Place[], { least, most }: Room): { shown: number; before?: string } {
  if (places.length <= most) return { shown: places.length };
  let best = { unit: Number.POSITIVE_INFINITY, shown: most };
  for (let shown = least; shown <= most; shown++) {
    const unit = unitBetween(places[shown - 1]?.place ?? '', places[shown]?.place ?? '');
    if (unit < best.unit) best = { unit, shown };
  }
  const last = places[best.shown - 1];
  if (!last) return { shown: 0 };
  const letters = UNITS[best.unit];
  // Of the same microsecond are what one import dated alike: there the id decides.
  return { shown: best.shown, before: letters ? last.place.slice(0, letters) : `${last.place}~${last.id}` };
}

/** The first unit in which two places differ. */
function unitBetween(newer: string, older: string): number {
  const unit = UNITS.findIndex((letters) => newer.slice(0, letters) !== older.slice(0, letters));
  return unit < 0 ? Number.POSITIVE_INFINITY : unit;
}

/** What `before` may be: the beginning of a place, and at a whole one an id. */
export const BEFORE =
  /^[12]\d{3}(?:-\d\d(?:-\d\d(?:T\d\d(?::\d\d(?::\d\d(?:\.\d{6}(?:~[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?)?)?)?)?)?)?$/;

const FIRST_MOMENT = '0000-01-01T00:00:00.000000';

/** What the database is asked for by a `before`; null where there is no such time. */
export function readBefore(before: string): { before: string; before_id?: string } | null {
  const [begun = '', id] = before.split('~');
  const place = begun + FIRST_MOMENT.slice(begun.length);
  const moment = new Date(`${place.slice(0, 23)}Z`);
  // A day that no month has is taken for one of the next month.
  if (Number.isNaN(moment.getTime()) || moment.toISOString().slice(0, 10) !== place.slice(0, 10)) return null;
  return { before: `${place}Z`, ...(id ? { before_id: id } : {}) };
}

/** Lists that go on from page to page: what counts on them. */
export const CUT_PARAMETERS: Declared = { before: BEFORE };
/** The first page has no number. */
export const PAGE_PARAMETERS: Declared = { page: /^(?:[2-9]|[1-9]\d{1,3})$/ };

export const topicPath = (slug: string, before?: string) =>
  pathWith(`/topics/${slug}`, { before: before ?? null });
export const personPath = (handle: string, before?: string) =>
  pathWith(`/people/${handle}`, { before: before ?? null });

export const archivePath = '/archive';
/** @param month `2026-11` */
export const monthPath = (month: string, page = 1) =>
  pathWith(`/archive/${month.replace('-', '/')}`, { page: page > 1 ? `${page}` : null });
/** Where the months of a year stand. */
export const yearId = (year: string) => `year-${year}`;
export const yearPath = (year: string) => `${archivePath}#${yearId(year)}`;

/** The page of corrections; that of those before a place. */
export const correctionsPath = (before?: number) =>
  before === undefined ? '/corrections' : `/corrections?before=${before}`;

/** What counts on it: a place is microseconds since 1970. */
export const CORRECTIONS_PARAMETERS: Declared = { before: /^[1-9]\d{0,15}$/ };
