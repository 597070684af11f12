import { posix } from 'node:path';
import { keyEventsPath, livePath, readView, timelinePath, updatePath } from '../../domain/coverages.ts';
import { feedPath } from '../../domain/feed-paths.ts';

/** Data of the exported coverage that links depend on. */
export type Kept = {
  slug: string;
  /** All current and former slugs. */
  slugs: string[];
  update_count: number;
};

/** A page of the coverage: its path on the site and its file in the folder. */
export type Place = { path: string; file: string };

/** Paths of the pages from which links lead to all others, and of pages that may have no incoming link. */
export const firstPaths = ({ slug, update_count }: Kept): string[] => [
  livePath(slug),
  keyEventsPath(slug),
  timelinePath(slug),
  feedPath(`/live/${slug}`, 'atom'),
  feedPath(`/live/${slug}`, 'json'),
  ...Array.from({ length: update_count }, (_, index) => updatePath(slug, index + 1)),
];

/**
 * Returns the page of the folder that a URL of the site leads to. Rounds page boundaries and resolves former slugs as
 * the site does. The oldest-first view is left out because it shows the same updates.
 */
export function placeOf(
  { slug, slugs, update_count }: Kept,
  { pathname, searchParams }: URL,
): Place | undefined {
  const [, live, named = '', part, ...more] = pathname.split('/');
  if (live !== 'live' || !slugs.includes(named) || more.length > 0) return undefined;
  if (part === undefined) return listPlace({ slug, update_count }, searchParams);
  if (part === 'timeline') return { path: timelinePath(slug), file: 'timeline.html' };
  if (part === 'feed.atom' || part === 'feed.json') return { path: `${livePath(slug)}/${part}`, file: part };
  const number = /^[1-9]\d{0,8}$/.test(part) ? Number(part) : 0;
  if (number === 0 || number > update_count) return undefined;
  return { path: updatePath(slug, number), file: `updates/${number}.html` };
}

function listPlace(
  coverage: { slug: string; update_count: number },
  asked: URLSearchParams,
): Place | undefined {
  const view = readView(coverage, asked);
  if (!view) return undefined;
  if (view.kind === 'redirect') return listPlace(coverage, new URL(view.path, 'http://site').searchParams);
  const before = new URL(view.path, 'http://site').searchParams.get('before');
  switch (view.kind) {
    case 'newest':
      return { path: view.path, file: 'index.html' };
    case 'older':
      return { path: view.path, file: `page-${before}.html` };
    case 'key':
      return { path: view.path, file: before ? `key-events-${before}.html` : 'key-events.html' };
    case 'oldest':
      return undefined;
  }
}

/** Context for converting the links of one page. */
export type Standing = {
  coverage: Kept;
  /** URL of the site, which distinguishes its links from external ones. */
  siteUrl: string;
  /** The page itself. */
  place: Place;
  /** Returns the file of a photo for a width, if the folder has it. */
  printOf(id: string, width: number): string | undefined;
};

/** Allowed schemes of links. Others are removed. */
const ANSWERED = ['http:', 'https:', 'mailto:', 'tel:'];

/** Converted link: its new URL, and the page of the folder if it leads to one. Undefined if the link is removed. */
export type Led = { href: string | undefined; place?: Place };

/**
 * Converts a link for a file in the folder: relative for pages of the folder, absolute for all others. No link may be
 * resolved against the reader's disk.
 */
export function lead(href: string, standing: Standing): Led {
  if (href.startsWith('#')) return { href };
  const url = URL.parse(href, new URL(standing.place.path, standing.siteUrl));
  if (!url || !ANSWERED.includes(url.protocol)) return { href: undefined };
  if (url.origin !== new URL(standing.siteUrl).origin) return { href: url.href };
  const place = placeOf(standing.coverage, url);
  if (place) return { href: `${between(standing.place.file, place.file)}${url.hash}`, place };
  return { href: printAt(url, standing) ?? url.href };
}

/** Returns the relative path from one file of the folder to another. */
export const between = (from: string, to: string): string => posix.relative(posix.dirname(from), to);

/** Returns the relative file of the photo that a URL of the site serves. */
export function printAt({ pathname }: URL, { place, printOf }: Standing): string | undefined {
  const [, photos, id = '', width = '', ...more] = pathname.split('/');
  if (photos !== 'photos' || more.length > 0) return undefined;
  const file = printOf(id, Number(width));
  return file && between(place.file, file);
}

export type Answer = { status: number; body: string };

/** Fetches a page of the site as of a moment. */
export type Pages = (path: string, at: Date) => Promise<Answer>;
