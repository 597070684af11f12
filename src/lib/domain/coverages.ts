import { LIMITS } from './limits.ts';
import { ANY_VALUE, pathWith, pickParameters, type QueryParameters } from './paths.ts';

/**
 * Pages of a coverage's list start at multiples of the page size and never change once they are full. The newest page
 * holds the last full page and the remainder. A boundary is the lowest number above a page.
 */
const SIZE = LIMITS.page_size;

/** Numbers from `first` to `last`, inclusive. Empty if `last` is below `first`. */
type Range = { first: number; last: number };

/**
 * Returns the lowest number on the newest page of a coverage with `count` updates. The newest page holds 10 to 19
 * updates.
 */
function newestPageStart(count: number): number {
  return Math.max(0, Math.floor(count / SIZE) * SIZE - SIZE) + 1;
}

/** Returns the numbers on the page below a boundary (1 more than a multiple of the page size). */
function pageBelow(boundary: number): Range {
  return { first: boundary - SIZE, last: boundary - 1 };
}

/** Returns the boundary above a number: the `before` parameter of the older page that contains it. */
function boundaryAbove(number: number): number {
  return Math.ceil(number / SIZE) * SIZE + 1;
}

/** Whether the page below this boundary is full and separate from the newest page. */
function isFullPage(boundary: number, count: number): boolean {
  return boundary > 1 && boundary <= newestPageStart(count);
}

/** Returns the boundary at which reading oldest first ends, whether the last page is full or not. */
function lastBoundary(count: number): number {
  return boundaryAbove(Math.max(count, 1));
}

/** Return the next boundary towards newer and towards older updates. */
const nextBoundary = (boundary: number) => boundary + SIZE;
const previousBoundary = (boundary: number) => boundary - SIZE;
/** Boundary of the first page. */
const FIRST_BOUNDARY = SIZE + 1;

/** Number of key events on one page. */
export const KEY_EVENTS_PAGE = 50;

/** View of a live page that a request selects. Only the `newest` page and the last `oldest` page change over time. */
export type View =
  | { kind: 'newest' | 'older' | 'oldest'; range: Range; path: string; older?: string; newer?: string }
  | { kind: 'key'; before: number; path: string; newer?: string };

/** Whether a view shows only one full page of the list, so that later updates change no more of it than a link. */
export const isPast = (view: View): view is Exclude<View, { kind: 'key' }> =>
  view.kind === 'older' || view.kind === 'oldest';

/** A view, a redirect to its canonical URL, or null if there is no such page. */
type ViewResult = View | { kind: 'redirect'; path: string; status: 301 | 302 } | null;

type Coverage = { slug: string; update_count: number };

/** Reads the query parameters of a live page. Ignores unknown parameters. */
export function readView(coverage: Coverage, parameters: URLSearchParams): ViewResult {
  const before = readNumber(parameters.get('before'));
  if (before === null) return null;
  if (parameters.get('show') === 'key') return keyView(coverage, before);
  if (parameters.get('order') === 'oldest') return oldestFirst(coverage, before);
  return newestFirst(coverage, before);
}

/** Returns undefined if there is no value, null if it is not an update number. */
function readNumber(value: string | null): number | undefined | null {
  if (value === null) return undefined;
  return /^[1-9]\d{0,8}$/.test(value) ? Number(value) : null;
}

function keyView({ slug, update_count: count }: Coverage, before: number | undefined): ViewResult {
  const path = keyEventsPath(slug, before);
  if (before === undefined) return { kind: 'key', before: count + 1, path };
  return { kind: 'key', before, path, newer: keyEventsPath(slug) };
}

function newestFirst({ slug, update_count: count }: Coverage, before: number | undefined): ViewResult {
  const start = newestPageStart(count);
  if (before === undefined) {
    const range = { first: start, last: count };
    return {
      kind: 'newest',
      range,
      path: livePath(slug),
      older: start > 1 ? olderPath(slug, start) : undefined,
    };
  }
  if (before === 1) return null;
  const boundary = boundaryAbove(before - 1);
  // Updates above the last boundary are still on the newest page, so the redirect is temporary.
  if (!isFullPage(boundary, count)) return { kind: 'redirect', path: livePath(slug), status: 302 };
  if (boundary !== before) return { kind: 'redirect', path: olderPath(slug, boundary), status: 301 };
  return {
    kind: 'older',
    range: pageBelow(boundary),
    path: olderPath(slug, boundary),
    older: boundary > FIRST_BOUNDARY ? olderPath(slug, previousBoundary(boundary)) : undefined,
    newer: boundary < start ? olderPath(slug, nextBoundary(boundary)) : livePath(slug),
  };
}

function oldestFirst({ slug, update_count: count }: Coverage, before: number | undefined): ViewResult {
  if (before === 1) return null;
  const boundary = before === undefined ? FIRST_BOUNDARY : boundaryAbove(before - 1);
  const last = lastBoundary(count);
  const pathOf = (at: number) => oldestFirstPath(slug, at === FIRST_BOUNDARY ? undefined : at);
  if (boundary > last) return { kind: 'redirect', path: pathOf(last), status: 302 };
  if (before !== undefined && pathOf(boundary) !== oldestFirstPath(slug, before)) {
    return { kind: 'redirect', path: pathOf(boundary), status: 301 };
  }
  return {
    kind: 'oldest',
    range: pageBelow(boundary),
    path: pathOf(boundary),
    older: boundary > FIRST_BOUNDARY ? pathOf(previousBoundary(boundary)) : undefined,
    newer: boundary < last ? pathOf(nextBoundary(boundary)) : undefined,
  };
}

/** Query parameters of a live page. All others are dropped. */
export const VIEW_PARAMETERS: QueryParameters = { show: /^key$/, order: /^oldest$/, before: ANY_VALUE };

/** Returns the known parameters as a query string. */
export const viewQuery = (parameters: URLSearchParams): string =>
  pathWith('', pickParameters(parameters, VIEW_PARAMETERS));

/** Paths of a coverage's pages, from the root of the site. */
export const livePath = (slug: string) => `/live/${slug}`;
const olderPath = (slug: string, before: number) => `/live/${slug}?before=${before}`;
export const keyEventsPath = (slug: string, before?: number) =>
  `/live/${slug}?show=key${before === undefined ? '' : `&before=${before}`}`;
export const oldestFirstPath = (slug: string, before?: number) =>
  `/live/${slug}?order=oldest${before === undefined ? '' : `&before=${before}`}`;

/** Path of the page of one update. */
export const updatePath = (slug: string, number: number) => `/live/${slug}/${number}`;

/** Path of the timeline of a coverage. */
export const timelinePath = (slug: string) => `/live/${slug}/timeline`;

/** Path of the brief of a coverage as a page, and as plain text. */
export const briefPath = (slug: string) => `/live/${slug}/brief`;
export const briefTextPath = (slug: string) => `/live/${slug}/brief.txt`;

/** Path of an update in the list: the page that holds it, with the update's anchor. */
export function updateInListPath(slug: string, number: number, count: number): string {
  const boundary = boundaryAbove(number);
  const page = isFullPage(boundary, count) ? olderPath(slug, boundary) : livePath(slug);
  return `${page}#update-${number}`;
}

/** Whether the text has the form of a slug. Anything else is rejected without a query. */
export function isSlug(text: string): boolean {
  const fits = text.length >= LIMITS.slug_min && text.length <= LIMITS.slug_max;
  return fits && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text);
}

/**
 * Suggests a slug for a headline: lower case, without accents, cut between words. It may be too short or in use: the
 * database validates it.
 */
export function suggestSlug(headline: string): string {
  const words = headline
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  let slug = '';
  for (const word of words) {
    const longer = slug ? `${slug}-${word}` : word.slice(0, LIMITS.slug_max);
    if (longer.length > LIMITS.slug_max) break;
    slug = longer;
  }
  return slug;
}

/** Request for `/live/SLUG/changes`: all changes after `after`. */
export type ChangesRequest = {
  /** Seq of the last change that the reader has. */
  after: number;
  /** The response must include this seq at least; 0 if the reader was not notified of any. */
  until: number;
};

/** Query parameters of a changes request. */
export const CHANGES_PARAMETERS: QueryParameters = { after: ANY_VALUE, until: ANY_VALUE };

/** Parses the query parameters; null if they are invalid. */
export function parseChangesRequest(parameters: URLSearchParams): ChangesRequest | null {
  const after = toSeq(parameters.get('after'));
  const until = toSeq(parameters.get('until') ?? '0');
  return after === null || until === null ? null : { after, until };
}

function toSeq(text: string | null): number | null {
  return text !== null && /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : null;
}
