import { LIMITS } from './limits.ts';
import { ANYTHING, type Declared, pathWith, pick } from './paths.ts';

/**
 * Where a coverage's list is cut into pages. Pages are cut at multiples of the page size, by number and for
 * ever: what an older page holds never changes, and the newest page holds the last full page and the remainder.
 */
const SIZE = LIMITS.page_size;

/** Numbers first to last, both included; empty when last is below first. */
export type Range = { first: number; last: number };

/** The lowest number on the newest page of a coverage with so many updates: that page holds 10 to 19. */
export function newestPageStart(count: number): number {
  return Math.max(0, Math.floor(count / SIZE) * SIZE - SIZE) + 1;
}

/** The numbers on the page below a cut (1 more than a multiple of the page size). */
export function pageBelow(cut: number): Range {
  return { first: cut - SIZE, last: cut - 1 };
}

/** The cut above a number: the `before` of the page that will hold it once it is an older one. */
export function cutAbove(number: number): number {
  return Math.ceil(number / SIZE) * SIZE + 1;
}

/** True when there is a whole page below this cut, one that will stay as it is. */
export function isWholePage(cut: number, count: number): boolean {
  return cut > 1 && cut <= newestPageStart(count);
}

/** The cut that oldest-first reading ends at: above the newest number, whether that page is full or not. */
export function lastCut(count: number): number {
  return cutAbove(Math.max(count, 1));
}

/** The next cut towards the newer updates, and towards the older ones. */
export const cutAfter = (cut: number) => cut + SIZE;
export const cutBefore = (cut: number) => cut - SIZE;
/** The cut of the very first page. */
export const FIRST_CUT = SIZE + 1;

/** Key events on one page of them. */
export const KEY_EVENTS_PAGE = 50;

/**
 * What a reader asked a live page for. `newest` is the page that moves; all others stay as they are, but for the
 * last one of `oldest`.
 */
export type View =
  | { kind: 'newest' | 'older' | 'oldest'; range: Range; path: string; older?: string; newer?: string }
  | { kind: 'key'; before: number; path: string; newer?: string };

/** A view, another address of the same thing, or nothing. */
export type Asked = View | { kind: 'redirect'; path: string; status: 301 | 302 } | null;

type Coverage = { slug: string; update_count: number };

/** Reads the parameters of a live page; those without a meaning here are as good as absent. */
export function readView(coverage: Coverage, parameters: URLSearchParams): Asked {
  const before = readNumber(parameters.get('before'));
  if (before === null) return null;
  if (parameters.get('show') === 'key') return keyView(coverage, before);
  if (parameters.get('order') === 'oldest') return oldestFirst(coverage, before);
  return newestFirst(coverage, before);
}

/** undefined when there is none, null when it is not a number of an update. */
function readNumber(value: string | null): number | undefined | null {
  if (value === null) return undefined;
  return /^[1-9]\d{0,8}$/.test(value) ? Number(value) : null;
}

function keyView({ slug, update_count: count }: Coverage, before: number | undefined): Asked {
  const path = keyEventsPath(slug, before);
  if (before === undefined) return { kind: 'key', before: count + 1, path };
  return { kind: 'key', before, path, newer: keyEventsPath(slug) };
}

function newestFirst({ slug, update_count: count }: Coverage, before: number | undefined): Asked {
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
  const cut = cutAbove(before - 1);
  // What is not cut yet is on the newest page, for the time being.
  if (!isWholePage(cut, count)) return { kind: 'redirect', path: livePath(slug), status: 302 };
  if (cut !== before) return { kind: 'redirect', path: olderPath(slug, cut), status: 301 };
  return {
    kind: 'older',
    range: pageBelow(cut),
    path: olderPath(slug, cut),
    older: cut > FIRST_CUT ? olderPath(slug, cutBefore(cut)) : undefined,
    newer: cut < start ? olderPath(slug, cutAfter(cut)) : livePath(slug),
  };
}

function oldestFirst({ slug, update_count: count }: Coverage, before: number | undefined): Asked {
  if (before === 1) return null;
  const cut = before === undefined ? FIRST_CUT : cutAbove(before - 1);
  const last = lastCut(count);
  const pathOf = (at: number) => oldestFirstPath(slug, at === FIRST_CUT ? undefined : at);
  if (cut > last) return { kind: 'redirect', path: pathOf(last), status: 302 };
  if (before !== undefined && pathOf(cut) !== oldestFirstPath(slug, before)) {
    return { kind: 'redirect', path: pathOf(cut), status: 301 };
  }
  return {
    kind: 'oldest',
    range: pageBelow(cut),
    path: pathOf(cut),
    older: cut > FIRST_CUT ? pathOf(cutBefore(cut)) : undefined,
    newer: cut < last ? pathOf(cutAfter(cut)) : undefined,
  };
}

/** The parameters that mean something on a live page; whatever else a visitor's link carried is dropped. */
export const VIEW_PARAMETERS: Declared = { show: /^key$/, order: /^oldest$/, before: ANYTHING };

/** Those of them that there are, as a query. */
export const declaredParameters = (parameters: URLSearchParams): string =>
  pathWith('', pick(parameters, VIEW_PARAMETERS));

/** Paths of a coverage's pages, from the site's root. */
export const livePath = (slug: string) => `/live/${slug}`;
export const olderPath = (slug: string, before: number) => `/live/${slug}?before=${before}`;
export const keyEventsPath = (slug: string, before?: number) =>
  `/live/${slug}?show=key${before === undefined ? '' : `&before=${before}`}`;
export const oldestFirstPath = (slug: string, before?: number) =>
  `/live/${slug}?order=oldest${before === undefined ? '' : `&before=${before}`}`;

/** The page of one update. */
export const updatePath = (slug: string, number: number) => `/live/${slug}/${number}`;

/** A coverage by its days. */
export const timelinePath = (slug: string) => `/live/${slug}/timeline`;

/** The place of an update among the others: the page of the list that holds it, and its article there. */
export function placePath(slug: string, number: number, count: number): string {
  const cut = cutAbove(number);
  const page = isWholePage(cut, count) ? olderPath(slug, cut) : livePath(slug);
  return `${page}#update-${number}`;
}

/** Whether this can be a slug at all: what cannot is not asked for. */
export function isSlug(text: string): boolean {
  const fits = text.length >= LIMITS.slug_min && text.length <= LIMITS.slug_max;
  return fits && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text);
}

/**
 * A slug made of a headline: lower case, without accents, cut between words. It may be too short, or taken: the
 * database says whether it will do.
 */
export function suggestedSlug(headline: string): string {
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
