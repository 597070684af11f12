import { randomInt } from 'node:crypto';

/** What the newsroom's readers can look at meanwhile. */
export type Readable = {
  /** The coverage that is written in, and how many updates it had at the beginning. */
  slug: string;
  updates: number;
  /** One that is over. */
  ended: string;
  /** Addresses of photos and of scripts. */
  files: string[];
};

/** `status` is what is right to be answered there. */
export type Visit = { path: string; status: number };

const found = (path: string): Visit => ({ path, status: 200 });

/** Words that the readers of a flood look for: some are everywhere, some nowhere, one is mistyped. */
const SOUGHT = ['river', 'sandbags', 'ferry pier', '"before dark"', 'scool', 'volcano'];

/** How many of a hundred visits lead where: a live page above all, and what leads there. */
const SHARES: [number, (of: Readable) => Visit][] = [
  [42, ({ slug }) => found(`/live/${slug}`)],
  [12, () => found('/')],
  [10, ({ slug, updates }) => found(`/live/${slug}?before=${older(updates) + 1}`)],
  [8, ({ slug, updates }) => found(`/live/${slug}/${updates - newest(updates)}`)],
  [8, ({ files }) => found(one(files))],
  [4, ({ slug }) => found(`/live/${slug}/feed.${one(['atom', 'json'])}`)],
  [4, ({ ended }) => found(`/live/${ended}${one(['', '/timeline', '?order=oldest'])}`)],
  [3, () => found(one(['/archive', '/corrections', '/about', '/feed.atom', '/sitemap.xml']))],
  [3, ({ slug }) => found(`/live/${slug}${one(['/embed', '/card.png', '?show=key'])}`)],
  [2, () => found(`/search?q=${encodeURIComponent(one(SOUGHT))}`)],
  [2, ({ slug }) => found(`/tips?coverage=${slug}&fbclid=${randomInt(1e9)}`)],
  [1, () => ({ path: `/live/nothing-${randomInt(1e6)}`, status: 404 })],
  [1, ({ slug, updates }) => ({ path: `/live/${slug}/${updates + 100_000}`, status: 404 })],
];

/** Most look at what is new. A number from 0 up to one below `many`. */
const newest = (many: number) => Math.floor(many * Math.random() ** 3);

/** Where an older page begins: pages are cut at multiples of ten. */
const older = (updates: number) => updates - 10 - 10 * newest(updates / 10 - 1);

/** Where the next reader goes. */
export function nextVisit(readable: Readable): Visit {
  let left = randomInt(SHARES.reduce((sum, [share]) => sum + share, 0));
  for (const [share, visit] of SHARES) {
    left -= share;
    if (left < 0) return visit(readable);
  }
  return found('/');
}

/** What everybody has read before, while there was time to. */
export const nextKnown = ({ slug, updates, ended }: Readable): Visit =>
  found(
    one([`/live/${slug}`, `/live/${slug}`, '/', `/live/${slug}?before=${updates - 9}`, `/live/${ended}`]),
  );

/** An address that nobody has asked for before. It may be refused; an answer in words has to come. */
export const madeUp = ({ slug, updates }: Readable): string =>
  one([
    `/search?q=${one(SOUGHT)}+${randomInt(1e9)}`,
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
