import { createHash } from 'node:crypto';
import { siteUrl } from '../data/environment.ts';
import { LIMITS } from '../domain/limits.ts';
import { BUILD } from '../publishing/page-attributes.ts';

/**
 * How long shared caches may use each kind of response, in seconds. A copy may be served for `fresh`, and for
 * `revalidating` more while a new one is fetched: together at most 30, the maximum delay of a correction in a cache
 * without invalidation. `ifDown` applies when rendering fails: with `fresh` at most 60, when a withdrawn text must be
 * gone from every cache. Our own cache, which is invalidated, keeps stale copies longer
 * (server/page-cache/cached-response.ts). Browsers always revalidate, which an ETag makes cheap.
 */
const POLICIES = {
  /** Pages and redirects. */
  page: { fresh: 10, revalidating: 20, ifDown: 50 },
  /** Not found: the address may exist in a moment. */
  missing: { fresh: 5, revalidating: 0, ifDown: 0 },
  /** Search results: quick to render again, and never stale, because they must not contain withdrawn texts. */
  results: { fresh: 10, revalidating: 0, ifDown: 0 },
  /**
   * Changes after a seq. Never stale: a reader who was notified of a change must not get the response from before it.
   */
  changes: { fresh: 2, revalidating: 0, ifDown: 0 },
} as const;

type CachePolicy = keyof typeof POLICIES;

/**
 * Cache tags. A cache removes every response that carries the tag of what changed. The database names the tags of each
 * change (`private.cache_tags`).
 */
export const tags = {
  /** On every page. */
  site: 'site',
  /** On lists of coverages: the front page, topics, the archive. */
  lists: 'lists',
  /** On feeds and sitemaps of several coverages, and on the page of corrections. */
  feeds: 'feeds',
  sitemaps: 'sitemaps',
  corrections: 'corrections',
  /** On other responses that depend on updates of several coverages: search results, people, missing photos. */
  updates: 'updates',
  /** On responses that say that an address does not exist or has moved. */
  missing: 'missing',
  /** On responses that show the newest state of a coverage. Every change names this tag. */
  coverage: (id: string) => `coverage:${id}`,
  /** On a coverage's photos. Only changes that remove a photo name this tag. */
  photos: (coverageId: string) => `photos:${coverageId}`,
  /** On responses that show fields of a coverage (headline, state, topics) but not its newest updates. */
  coverageFields: (id: string) => `coverage-fields:${id}`,
  /** On responses that show updates of one page of a coverage's list. `number`: of any update on that page. */
  listPage: (coverageId: string, number: number) =>
    `list-page:${coverageId}:${Math.ceil(number / LIMITS.page_size)}`,
};

/** Cache tags of a page that shows some updates of a coverage, and not its newest state. */
export const tagsOfPast = (coverageId: string, number: number): string[] => [
  tags.site,
  tags.coverageFields(coverageId),
  tags.listPage(coverageId, number),
];

/** For private pages and errors. */
export const NO_STORE = 'no-store';

export function cacheControl(policy: CachePolicy): string {
  const { fresh, revalidating, ifDown } = POLICIES[policy];
  return [
    // Browsers must revalidate each time. `s-maxage` also allows shared caches to store the response and makes them
    // revalidate afterwards.
    'max-age=0',
    `s-maxage=${fresh}`,
    ...(revalidating ? [`stale-while-revalidate=${revalidating}`] : []),
    ...(ifDown ? [`stale-if-error=${ifDown}`] : []),
  ].join(', ');
}

/** Sets the cache headers of a response. */
export function declareCache(headers: Headers, policy: CachePolicy, cacheTags: string[]): void {
  headers.set('Cache-Control', cacheControl(policy));
  headers.set('Cache-Tag', cacheTags.join(','));
}

/** Sets the cache headers of a changes response, and an ETag of its content. */
export function declareChanges(headers: Headers, cacheTags: string[], content: unknown): void {
  declareCache(headers, 'changes', cacheTags);
  headers.set('ETag', `${etagOf(content).slice(0, SHORT_ETAG_LENGTH)}"`);
}

/**
 * Length of an ETag on a short response: eight characters of the digest distinguish the responses of one address within
 * an hour.
 */
const SHORT_ETAG_LENGTH = 'W/"'.length + 8;

/** Sets the cache headers of a page, and an ETag of its data. */
export function declarePage(headers: Headers, cacheTags: string[], ...data: unknown[]): void {
  declareCache(headers, 'page', cacheTags);
  headers.set('ETag', etagOf(...data));
}

/** Sets the cache headers of search results, and an ETag of their data. */
export function declareResults(headers: Headers, cacheTags: string[], ...data: unknown[]): void {
  declareCache(headers, 'results', cacheTags);
  headers.set('ETag', etagOf(...data));
}

/** Sets the cache headers of a "not found" or "gone" response. */
export function declareRefusal(headers: Headers, code: 'not_found' | 'gone', cacheTags: string[]): void {
  declareCache(headers, code === 'gone' ? 'page' : 'missing', cacheTags);
}

/**
 * A weak ETag of a page's data, the build and the site's address. Weak, because two renderings of the same data show
 * different times.
 */
export function etagOf(...parts: unknown[]): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([BUILD, siteUrl('/'), ...parts]))
    .digest('base64url');
  return `W/"${digest.slice(0, 22)}"`;
}
