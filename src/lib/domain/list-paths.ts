import { pathWith, type QueryParameters } from './paths.ts';

/**
 * Position of an entry in a list ordered by time. A page ends where the times of two neighbours differ most: rather
 * between two months than between two days or hours. So the URL of a page names a short time (`2026-11`), and the
 * page stays the same when newer entries arrive.
 */
export type ListPosition = {
  /** UTC time with microseconds, as the database writes it: `2026-11-21T14:02:10.123456`. */
  position: string;
  id: string;
};

/** Minimum and maximum number of entries on a page. */
export type PageSize = { min: number; max: number };

/** Lengths of the prefixes of a position that end at its year, month, day, hour, minute, second and microsecond. */
const UNIT_LENGTHS = [4, 7, 10, 13, 16, 19, 26];

/**
 * Chooses where a page ends.
 * @param positions newest first, with one more entry than the page holds if there are more
 * @returns number of entries on the page, and the `before` parameter of the next page
 */
export function paginateByTime(
  positions: ListPosition[],
  { min, max }: PageSize,
): { shown: number; before?: string } {
  if (positions.length <= max) return { shown: positions.length };
  let best = { unit: Number.POSITIVE_INFINITY, shown: max };
  for (let shown = min; shown <= max; shown++) {
    const unit = unitBetween(positions[shown - 1]?.position ?? '', positions[shown]?.position ?? '');
    if (unit < best.unit) best = { unit, shown };
  }
  const last = positions[best.shown - 1];
  if (!last) return { shown: 0 };
  const length = UNIT_LENGTHS[best.unit];
  // Entries of one import may have the same microsecond. Then the id decides.
  return {
    shown: best.shown,
    before: length ? last.position.slice(0, length) : `${last.position}~${last.id}`,
  };
}

/** Returns the index of the first unit in which two positions differ. */
function unitBetween(newer: string, older: string): number {
  const unit = UNIT_LENGTHS.findIndex((length) => newer.slice(0, length) !== older.slice(0, length));
  return unit < 0 ? Number.POSITIVE_INFINITY : unit;
}

/** Valid values of `before`: a prefix of a position, and after a complete position an id. */
export const BEFORE_PATTERN =
  /^[12]\d{3}(?:-\d\d(?:-\d\d(?:T\d\d(?::\d\d(?::\d\d(?:\.\d{6}(?:~[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?)?)?)?)?)?)?$/;

const EARLIEST = '0000-01-01T00:00:00.000000';

/** Converts a `before` parameter to arguments of the database function; null if it is not a valid time. */
export function readBefore(before: string): { before_position: string; before_id?: string } | null {
  const [prefix = '', id] = before.split('~');
  const position = prefix + EARLIEST.slice(prefix.length);
  const moment = new Date(`${position.slice(0, 23)}Z`);
  // Date would read a day that does not exist as a day of the next month.
  if (Number.isNaN(moment.getTime()) || moment.toISOString().slice(0, 10) !== position.slice(0, 10))
    return null;
  return { before_position: `${position}Z`, ...(id ? { before_id: id } : {}) };
}

/** Query parameters of lists that are paged by time. */
export const TIME_PAGE_PARAMETERS: QueryParameters = { before: BEFORE_PATTERN };
/** The first page has no page parameter. */
export const PAGE_PARAMETERS: QueryParameters = { page: /^(?:[2-9]|[1-9]\d{1,3})$/ };

export const topicPath = (slug: string, before?: string) =>
  pathWith(`/topics/${slug}`, { before: before ?? null });
export const personPath = (handle: string, before?: string) =>
  pathWith(`/people/${handle}`, { before: before ?? null });

export const archivePath = '/archive';
/** @param month `2026-11` */
export const monthPath = (month: string, page = 1) =>
  pathWith(`/archive/${month.replace('-', '/')}`, { page: page > 1 ? `${page}` : null });
/** Anchor of a year in the list of months. */
export const yearId = (year: string) => `year-${year}`;
export const yearPath = (year: string) => `${archivePath}#${yearId(year)}`;

/** Path of the page of corrections, or of those before a place. */
export const correctionsPath = (before?: number) =>
  before === undefined ? '/corrections' : `/corrections?before=${before}`;

/** Query parameters of the page of corrections. A place is microseconds since 1970. */
export const CORRECTIONS_PARAMETERS: QueryParameters = { before: /^[1-9]\d{0,15}$/ };

/** Formats of our feeds. RSS is not offered because it can express neither a withdrawal nor a change. */
export type FeedFormat = 'atom' | 'json';

export const FEED_FORMATS = {
  atom: { name: 'Atom', type: 'application/atom+xml' },
  json: { name: 'JSON Feed', type: 'application/feed+json' },
} as const satisfies Record<FeedFormat, { name: string; type: string }>;

/** Path prefix of a feed: the site, a coverage or a topic. */
export type FeedBase = '' | `/live/${string}` | `/topics/${string}`;

/** Returns the path of a feed's newest document, or of an archived document by its name. */
export function feedPath(base: FeedBase, format: FeedFormat, archive?: string): string {
  const path = `${base}/feed.${format}`;
  return archive === undefined ? path : `${path}?archive=${archive}`;
}

/** Returns the alternates of a feed for the head of a page, one for each format. */
export const feedAlternates = (base: FeedBase) =>
  (['atom', 'json'] as const).map((format) => ({
    type: FEED_FORMATS[format].type,
    title: FEED_FORMATS[format].name,
    path: feedPath(base, format),
  }));

/** Query parameters of a coverage's archived documents: the number of the first of fifty updates. */
export const COVERAGE_FEED_PARAMETERS: QueryParameters = { archive: /^[1-9]\d{0,7}$/ };

/**
 * Query parameters of archived documents for the site or a topic: a month (year 0 does not exist) and the part of it,
 * if not the first.
 */
export const LIST_FEED_PARAMETERS: QueryParameters = {
  archive: /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])(?:\.(?:[2-9]|[1-9]\d{1,4}))?$/,
};
