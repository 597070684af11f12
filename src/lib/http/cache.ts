import { createHash } from 'node:crypto';
import { BUILD } from '../site/build.ts';

/**
 * How long shared caches may hold each kind of answer, in seconds. A copy may be served for `fresh` and then, while
 * a new one is fetched, for `revalidating` more: together at most 60, because in that time a withdrawn text must be
 * gone from caches that nobody can purge. `ifDown` keeps the paper readable while the newsroom does not answer; a
 * copy says when it was made. Browsers always ask again, which an ETag makes cheap.
 */
const POLICIES = {
  coverage: { fresh: 10, revalidating: 20, ifDown: 86_400 },
  update: { fresh: 20, revalidating: 40, ifDown: 86_400 },
  list: { fresh: 20, revalidating: 40, ifDown: 86_400 },
  about: { fresh: 60, revalidating: 0, ifDown: 86_400 },
  moved: { fresh: 60, revalidating: 0, ifDown: 0 },
  // What changed since a seq. Never stale: a reader who was told of a change must not get the answer before it.
  changes: { fresh: 2, revalidating: 0, ifDown: 0 },
} as const;

export type CachePolicy = keyof typeof POLICIES;

/** Names of things a page is made of: a cache drops every page that carries the name of what changed. */
export const tags = {
  site: 'site',
  front: 'front',
  coverage: (id: string) => `coverage:${id}`,
  topic: (slug: string) => `topic:${slug}`,
  person: (handle: string) => `person:${handle}`,
};

/** For everything that is nobody else's business or may be different a moment later: private pages, errors. */
export const NO_STORE = 'no-store';

export function cacheControl(policy: CachePolicy): string {
  const { fresh, revalidating, ifDown } = POLICIES[policy];
  return [
    'public',
    'max-age=0',
    `s-maxage=${fresh}`,
    ...(revalidating ? [`stale-while-revalidate=${revalidating}`] : []),
    ...(ifDown ? [`stale-if-error=${ifDown}`] : ['must-revalidate']),
  ].join(', ');
}

/** Declares how an answer may be cached, on its headers. */
export function declareCache(headers: Headers, policy: CachePolicy, cacheTags: string[]): void {
  headers.set('Cache-Control', cacheControl(policy));
  headers.set('Cache-Tag', cacheTags.join(','));
}

/**
 * Declares how a page may be cached, and its version by what it is made of.
 * @returns the 304 to answer instead, when the asker holds this version already
 */
export function declarePage(
  { request, response }: { request: Request; response: { headers: Headers } },
  policy: CachePolicy,
  cacheTags: string[],
  ...madeOf: unknown[]
): Response | null {
  const { headers } = response;
  const etag = etagOf(...madeOf);
  declareCache(headers, policy, cacheTags);
  headers.set('ETag', etag);
  return isHeld(request, etag) ? new Response(null, { status: 304, headers }) : null;
}

/**
 * A weak tag of what a page is made of, and of the build that makes it. Weak, because two copies of the same page
 * differ in the time that they print.
 */
export function etagOf(...parts: unknown[]): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([BUILD, ...parts]))
    .digest('base64url');
  return `W/"${digest.slice(0, 22)}"`;
}

/** True when the asker holds this version already. */
export function isHeld(request: Request, etag: string): boolean {
  const held = request.headers.get('if-none-match');
  if (!held) return false;
  const bare = (tag: string) => tag.trim().replace(/^W\//, '');
  return held.trim() === '*' || held.split(',').some((tag) => bare(tag) === bare(etag));
}
