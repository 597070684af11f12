import { placeOf } from '../cache/places.ts';

/**
 * What a visit of an address means to readers' worker: a public page, by the one address that it is kept under; or
 * anything else, which is not looked at. Null is for what the worker leaves alone altogether.
 */
export type Visited = { kind: 'page'; key: string } | { kind: 'other' } | null;

/** Not pages, or answers to what somebody has just sent. */
const LEFT_ALONE = /^\/(?:api|auth|rest|storage|realtime|functions|photos|_astro|(?:desk-)?sw\.js)(?:\/|$)/;

/** Kept by the site's cache, and yet no pages to come back to; nor is it a device's business what was looked for on it. */
const NO_PAGES =
  /^\/(?:404|robots\.txt|manifest\.webmanifest|search|opensearch\.xml|offline(?:\/desk)?|oembed|live\/[^/]+\/(?:changes|embed))(?:\?|$)/;

export function visitedAt({ pathname, search }: URL): Visited {
  if (LEFT_ALONE.test(pathname)) return null;
  // The very table that the site's shared cache goes by: what is not the same for everybody is not in it.
  const key = placeOf(pathname + search)?.key;
  return key === undefined || NO_PAGES.test(key) ? { kind: 'other' } : { kind: 'page', key };
}

/** The slug of the coverage whose live page this is, if it is one in the order in which it is followed. */
export const followedSlug = (key: string): string | undefined => /^\/live\/([^/?]+)$/.exec(key)?.[1];

/** The slug of the coverage that a page is one of, in whatever order, or with one update of it alone. */
export const slugOf = (key: string): string | undefined => /^\/live\/([^/?]+)/.exec(key)?.[1];

/** Does a page show something of this coverage? Lists may, in a line of theirs, and the form for tips about it. */
export function mayShow(key: string, slug: string): boolean {
  const isOfCoverage = slugOf(key) === slug || key === `/tips?coverage=${slug}`;
  return isOfCoverage || !/^\/(?:live|tips|about|privacy)(?:[/?]|$)/.test(key);
}
