import { CacheExpiration } from 'workbox-expiration/CacheExpiration.js';
import { PAGES } from './names.ts';
import { readSaved, type SavedPage } from './page.ts';

/** So many pages for so many days, those longest unseen first out: a few MB on a phone. */
const MOST_PAGES = 30;
const LONGEST_S = 30 * 24 * 3600;

/** Whatever a request says of itself, a page is the same. */
const ANY = { ignoreVary: true };

const expiration = new CacheExpiration(PAGES, {
  maxEntries: MOST_PAGES,
  maxAgeSeconds: LONGEST_S,
  matchOptions: ANY,
});

/** Counts what was thrown away: what was on its way before that must not come back. */
let thrownAway = 0;

/** A saved page, and the head that it came with. */
export type Copy = SavedPage & { headers: Headers };

export async function find(key: string): Promise<Copy | undefined> {
  const pages = await caches.open(PAGES);
  const found = await pages.match(key, ANY);
  if (!found) return;
  const page = (await expiration.isURLExpired(key)) ? undefined : readSaved(await found.text());
  if (page) return { ...page, headers: found.headers };
  await pages.delete(key, ANY);
  return;
}

/**
 * Keeps a page that has just come, if it is one of ours. Where there is no room, what is kept goes.
 * @param seq of a page that is followed, the change that it must know of
 * @returns whether the page is from before that change, and so of no use
 */
export async function keep(key: string, response: Response, seq = 0): Promise<boolean> {
  const then = thrownAway;
  const isPage = response.status === 200 && /^text\/html/.test(response.headers.get('content-type') ?? '');
  if (!isPage || response.redirected) return false;
  const html = await response.text();
  const page = readSaved(html);
  if (Number(page?.followed?.seq ?? seq) < seq) return true;
  if (!page || then !== thrownAway) return false;
  const headers = new Headers(response.headers);
  // Of the form in which it came, and of what the browser itself keeps.
  for (const name of ['content-encoding', 'content-length', 'etag']) headers.delete(name);
  try {
    const pages = await caches.open(PAGES);
    await pages.put(key, new Response(html, { headers }));
    await expiration.updateTimestamp(key);
    await expiration.expireEntries();
  } catch {
    await caches.delete(PAGES);
    await expiration.delete();
  }
  return false;
}

/** Throws away what `isMeant`. */
export async function forget(isMeant: (key: string) => boolean): Promise<void> {
  thrownAway++;
  const pages = await caches.open(PAGES);
  const gone = (await pages.keys())
    .map(({ url }) => new URL(url))
    .map(({ pathname, search }) => pathname + search)
    .filter(isMeant);
  await Promise.all(gone.map((key) => pages.delete(key, ANY)));
}
