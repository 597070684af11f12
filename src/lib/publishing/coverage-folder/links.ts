import { posix } from 'node:path';
import { keyEventsPath, livePath, readView, timelinePath, updatePath } from '../../domain/coverages.ts';
import { feedPath } from '../../domain/feed-paths.ts';

/** The coverage that a folder is made of: all that its addresses hang on. */
export type Kept = {
  slug: string;
  /** Every slug that it ever had. */
  slugs: string[];
  update_count: number;
};

/** A page of the coverage: where the site has it, and which file of the folder. */
export type Place = { path: string; file: string };

/** Paths of the pages from which links lead to all others, and of what no link may lead to. */
export const firstPaths = ({ slug, update_count }: Kept): string[] => [
  livePath(slug),
  keyEventsPath(slug),
  timelinePath(slug),
  feedPath(`/live/${slug}`, 'atom'),
  feedPath(`/live/${slug}`, 'json'),
  ...Array.from({ length: update_count }, (_, index) => updatePath(slug, index + 1)),
];

/**
 * The page that an address of the site leads to, as far as it belongs to the folder: cuts are rounded and old slugs are
 * led on, as the site does. Reading from the oldest on is left out: it shows the same once more.
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

/** Where a page stands, and what stands beside it. */
export type Standing = {
  coverage: Kept;
  /** Of the site, whose own addresses are told from others by it. */
  siteUrl: string;
  /** The page itself. */
  place: Place;
  /** The file of a photo's print for a width, if it is in the folder. */
  printOf(id: string, width: number): string | undefined;
};

/** Addresses that a page may be left by; what is none of these is no link in a file. */
const ANSWERED = ['http:', 'https:', 'mailto:', 'tel:'];

/** What becomes of a link: another address, one of the folder's pages with it, or none. */
export type Led = { href: string | undefined; place?: Place };

/**
 * A link as a file in a folder has it: to what stands in the folder from file to file, to all else by its whole
 * address. Nothing is left that a file would read against its own disk.
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

/** The way from one file of the folder to another. */
export const between = (from: string, to: string): string => posix.relative(posix.dirname(from), to);

/** The photo that an address of the site serves, as a file. */
export function printAt({ pathname }: URL, { place, printOf }: Standing): string | undefined {
  const [, photos, id = '', width = '', ...more] = pathname.split('/');
  if (photos !== 'photos' || more.length > 0) return undefined;
  const file = printOf(id, Number(width));
  return file && between(place.file, file);
}

export type Answer = { status: number; body: string };

/** Asks the site's own pages, as they are at a moment. */
export type Pages = (path: string, at: Date) => Promise<Answer>;
