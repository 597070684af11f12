import type { QueryParameters } from './paths.ts';

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
