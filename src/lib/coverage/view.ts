import { ANYTHING, type Declared, pathWith, pick } from '../http/path.ts';
import { keyEventsPath, livePath, olderPath, oldestFirstPath } from './address.ts';
import {
  cutAbove,
  cutAfter,
  cutBefore,
  FIRST_CUT,
  isWholePage,
  lastCut,
  newestPageStart,
  pageBelow,
  type Range,
} from './cuts.ts';

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
