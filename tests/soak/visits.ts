import { randomInt } from 'node:crypto';

/** The requests of readers. */
export type Readable = {
  /** Slug of the live coverage, and its number of updates at the start. */
  slug: string;
  updates: number;
  /** Slug of an ended coverage. */
  ended: string;
  /** URLs of photos and scripts. */
  files: string[];
};

/** A path with the expected status. */
export type Visit = { path: string; status: number };

const pageVisit = (path: string): Visit => ({ path, status: 200 });

/** Search words of the flood: frequent, missing and misspelled ones. */
const SEARCH_WORDS = ['river', 'sandbags', 'ferry pier', '"before dark"', 'scool', 'volcano'];

/** Shares of visits in percent: mostly live pages, and pages that link to them. */
const SHARES: [number, (of: Readable) => Visit][] = [
  [42, ({ slug }) => pageVisit(`/live/${slug}`)],
  [12, () => pageVisit('/')],
  [10, ({ slug, updates }) => pageVisit(`/live/${slug}?before=${older(updates) + 1}`)],
  [8, ({ slug, updates }) => pageVisit(`/live/${slug}/${updates - newest(updates)}`)],
  [8, ({ files }) => pageVisit(one(files))],
  [4, ({ slug }) => pageVisit(`/live/${slug}/feed.${one(['atom', 'json'])}`)],
  [4, ({ ended }) => pageVisit(`/live/${ended}${one(['', '/timeline', '?order=oldest'])}`)],
  [3, () => pageVisit(one(['/archive', '/corrections', '/about', '/feed.atom', '/sitemap.xml']))],
  [3, ({ slug }) => pageVisit(`/live/${slug}${one(['/embed', '/card.png', '?show=key'])}`)],
  [2, () => pageVisit(`/search?q=${encodeURIComponent(one(SEARCH_WORDS))}`)],
  [2, ({ slug }) => pageVisit(`/tips?coverage=${slug}&fbclid=${randomInt(1e9)}`)],
  [1, () => ({ path: `/live/nothing-${randomInt(1e6)}`, status: 404 })],
  [1, ({ slug, updates }) => ({ path: `/live/${slug}/${updates + 100_000}`, status: 404 })],
];

/** A random number below `many`, mostly small, because most readers look at new updates. */
const newest = (many: number) => Math.floor(many * Math.random() ** 3);

/** The `before` of an older page. Pages end at multiples of ten. */
const older = (updates: number) => updates - 10 - 10 * newest(updates / 10 - 1);

/** The next visit of a reader. */
export function nextVisit(readable: Readable): Visit {
  let left = randomInt(SHARES.reduce((sum, [share]) => sum + share, 0));
  for (const [share, visit] of SHARES) {
    left -= share;
    if (left < 0) return visit(readable);
  }
  return pageVisit('/');
}

/** Pages that were already read before the overload. */
export const nextKnown = ({ slug, updates, ended }: Readable): Visit =>
  pageVisit(
    one([`/live/${slug}`, `/live/${slug}`, '/', `/live/${slug}?before=${updates - 9}`, `/live/${ended}`]),
  );

/** A made-up URL. It may be refused with an error page. */
export const madeUp = ({ slug, updates }: Readable): string =>
  one([
    `/search?q=${one(SEARCH_WORDS)}+${randomInt(1e9)}`,
    `/live/${slug}/${updates + randomInt(1e9)}`,
    `/live/made-up-${randomInt(1e9)}`,
    `/topics/made-up-${randomInt(1e9)}?before=${randomInt(1e9)}`,
    `/live/${slug}/changes?after=${randomInt(updates)}&until=${updates}`,
  ]);

function one<T>(of: readonly T[]): T {
  const chosen = of[randomInt(of.length)];
  if (chosen === undefined) throw new Error('There is nothing to choose from.');
  return chosen;
}
