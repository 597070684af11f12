import { createHash } from 'node:crypto';
import { siteUrl } from '../data/site-address.ts';
import { BUILD } from '../publishing/build.ts';

/**
 * How long shared caches may hold each kind of answer, in seconds. A copy may be served for `fresh` and then, while
 * a new one is fetched, for `revalidating` more: together at most 30, because for so long readers may be without a
 * correction where a cache is told nothing of changes. `ifDown` bridges a fault: with `fresh` at most 60, when a text
 * that was withdrawn must be gone from every cache. Our own, which is told of changes, keeps its copies longer than
 * that (lib/cache/lifetime.ts). A copy says when it was made. Browsers always ask again, which an ETag makes cheap.
 */
const POLICIES = {
  /** Whatever there is to see, and where it has moved to. */
  page: { fresh: 10, revalidating: 20, ifDown: 50 },
  /** What is not there may be there in a moment. */
  missing: { fresh: 5, revalidating: 0, ifDown: 0 },
  /** What was found: quickly found anew, and nothing that was taken back since may be among it. */
  found: { fresh: 10, revalidating: 0, ifDown: 0 },
  /** What changed since a seq. Never stale: a reader who was told of a change must not get the answer before it. */
  changes: { fresh: 2, revalidating: 0, ifDown: 0 },
} as const;

export type CachePolicy = keyof typeof POLICIES;

/** Names of things a page is made of: a cache drops every page that carries the name of what changed. */
export const tags = {
  /** What every page shows. */
  site: 'site',
  /** Which coverages there are and how they stand, wherever more than one of them is named. */
  lists: 'lists',
  /** Which addresses lead nowhere, or elsewhere. */
  missing: 'missing',
  coverage: (id: string) => `coverage:${id}`,
  /** What stands behind a coverage's photos: not named by changes that take no photo away. */
  photos: (coverageId: string) => `photos:${coverageId}`,
};

/** For everything that is nobody else's business or may be different a moment later: private pages, errors. */
export const NO_STORE = 'no-store';

export function cacheControl(policy: CachePolicy): string {
  const { fresh, revalidating, ifDown } = POLICIES[policy];
  return [
    // What it means for shared caches says too that they may keep it, and must ask again after that.
    'max-age=0',
    `s-maxage=${fresh}`,
    ...(revalidating ? [`stale-while-revalidate=${revalidating}`] : []),
    ...(ifDown ? [`stale-if-error=${ifDown}`] : []),
  ].join(', ');
}

/** Declares how an answer may be cached, on its headers. */
export function declareCache(headers: Headers, policy: CachePolicy, cacheTags: string[]): void {
  headers.set('Cache-Control', cacheControl(policy));
  headers.set('Cache-Tag', cacheTags.join(','));
}

/** Declares how an answer may be cached that is asked for again and again, and its version by what it says. */
export function declareAnswer(headers: Headers, cacheTags: string[], says: unknown): void {
  declareCache(headers, 'changes', cacheTags);
  headers.set('ETag', `${etagOf(says).slice(0, SHORT)}"`);
}

/** Characters of a tag for an answer of few bytes: eight of its digest tell apart what one address says in an hour. */
const SHORT = 'W/"'.length + 8;

/** Declares how a page may be cached, and its version by what it is made of. */
export function declarePage(headers: Headers, cacheTags: string[], ...madeOf: unknown[]): void {
  declareCache(headers, 'page', cacheTags);
  headers.set('ETag', etagOf(...madeOf));
}

/** The same for a page of what was found. */
export function declareFound(headers: Headers, cacheTags: string[], ...madeOf: unknown[]): void {
  declareCache(headers, 'found', cacheTags);
  headers.set('ETag', etagOf(...madeOf));
}

/** Declares how long a page may be cached that says why there is nothing. */
export function declareRefusal(headers: Headers, code: 'not_found' | 'gone', cacheTags: string[]): void {
  declareCache(headers, code === 'gone' ? 'page' : 'missing', cacheTags);
}

/**
 * A weak tag of what a page is made of, of the build that makes it and of the address it is made for. Weak, because two copies of the same page
 * differ in the time that they print.
 */
export function etagOf(...parts: unknown[]): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([BUILD, siteUrl('/'), ...parts]))
    .digest('base64url');
  return `W/"${digest.slice(0, 22)}"`;
}
