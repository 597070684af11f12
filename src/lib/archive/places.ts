import { keyEventsPath, livePath, timelinePath, updatePath } from '../coverage/address.ts';
import { readView } from '../coverage/view.ts';
import { feedPath } from '../feeds/address.ts';

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
