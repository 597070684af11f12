import { CacheExpiration } from 'workbox-expiration/CacheExpiration.js';
import { CacheTimestampsModel } from 'workbox-expiration/models/CacheTimestampsModel.js';
import { PAGES, TAKEN_BACK } from './names.ts';
import {
  followedSlug,
  isMoreThanNew,
  mayShow,
  readSaved,
  type SavedPage,
  slugOf,
  stillShows,
} from './saved-page.ts';

/*
 * What was taken back of late. An answer that left before may still come, and a cache elsewhere may still hold the page
 * as it was: neither may bring it onto the shelf again. It is written down, because a worker is stopped at any time.
 */

/** How long a cache elsewhere may hold what was taken back (lib/http/cache.ts). In milliseconds. */
const HELD_MS = 60_000;
/** How long an answer may be on its way at the very most. In milliseconds. */
const ON_ITS_WAY_MS = 10 * 60_000;

type Mark = {
  /** A page of the coverage, or the page itself that is gone. */
  key: string;
  /** The change that took it back; absent where nobody said. */
  seq?: number;
  /** By this device's clock: what left before may be as it was. */
  until: number;
};

/** Writes down that something of this page, or of its coverage, was taken back by this change. */
export async function mark(key: string, seq?: number): Promise<void> {
  const slug = slugOf(key);
  const name = slug === undefined ? key : `/live/${slug}`;
  const former = (await marks()).find((one) => one.key === name);
  const both = former ? former.seq !== undefined && seq !== undefined : seq !== undefined;
  const newest = both ? Math.max(former?.seq ?? 0, seq ?? 0) : undefined;
  const note: Mark = { key: name, seq: newest, until: Date.now() + HELD_MS };
  const notes = await caches.open(TAKEN_BACK);
  await notes.put(addressOf(name), new Response(JSON.stringify(note)));
}

/**
 * May this page stand on the shelf?
 * @param leftAt when the request for it left
 */
export async function mayStand(key: string, { followed }: SavedPage, leftAt: number): Promise<boolean> {
  return (await marks()).every((one) => {
    const slug = slugOf(one.key);
    if (slug === undefined ? key !== one.key : !mayShow(key, slug)) return true;
    const knows = one.seq !== undefined && slugOf(key) === slug && followed !== undefined;
    return knows ? Number(followed.seq) >= Number(one.seq) : leftAt >= one.until;
  });
}

/** Takes away what nothing can be on its way of any more. */
export async function clearMarks(): Promise<void> {
  const valid = (await marks()).map(({ key }) => addressOf(key));
  const notes = await caches.open(TAKEN_BACK);
  const over = (await notes.keys()).filter(
    ({ url }) => !valid.includes(new URL(url).pathname + new URL(url).search),
  );
  await Promise.all(over.map((request) => notes.delete(request)));
}

async function marks(): Promise<Mark[]> {
  const now = Date.now();
  const notes = await caches.open(TAKEN_BACK);
  const all = await Promise.all(
    (await notes.keys()).map(async (request) => {
      const note: Mark | undefined = await (await notes.match(request))?.json();
      return note ?? [];
    }),
  );
  // A clock that was set back would make one last for who knows how long.
  return all.flat().filter(({ until }) => until + ON_ITS_WAY_MS > now && until <= now + HELD_MS);
}

/** Not the address of a page, so that nobody takes it for one. */
const addressOf = (key: string) => `/taken-back${key}`;

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
/** The library's own notes of when each page was last used: it has no other way to take out a single one. */
const used = new CacheTimestampsModel(PAGES);

let last: Promise<unknown> = Promise.resolve();

/** One after the other: nothing is put on the shelf while something is being taken off it. */
function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  const done = last.then(work);
  last = done.catch(() => undefined);
  return done;
}

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

/** How a page was asked for. */
type Asked = {
  /** When the request left, by this device's clock. */
  leftAt: number;
  /** Of a page that is followed, the change that it must know of. */
  seq?: number;
};

/**
 * Keeps a page that has just come, if it is one of ours; what it says was taken back goes, wherever it stood. Where
 * there is no room, what is kept goes.
 * @returns whether the page is from before a change that is known of, and so of no use
 */
export async function keep(key: string, response: Response, { leftAt, seq = 0 }: Asked): Promise<boolean> {
  if (isGone(response)) {
    await forget(key);
    return false;
  }
  if (response.status !== 200 || !/^text\/html/.test(response.headers.get('content-type') ?? ''))
    return false;
  const html = await response.text();
  const page = readSaved(html);
  if (Number(page?.followed?.seq ?? seq) < seq) return true;
  if (!page) return false;
  const headers = new Headers(response.headers);
  // Of the form in which it came, and of what the browser itself keeps.
  for (const name of ['content-encoding', 'content-length', 'etag']) headers.delete(name);
  return inTurn(async () => {
    if (!(await mayStand(key, page, leftAt))) return true;
    try {
      if (await tellsOfMore(key, page)) await takeOff(key, Number(page.followed?.seq), key);
      const pages = await caches.open(PAGES);
      await pages.put(key, new Response(html, { headers }));
      await expiration.updateTimestamp(key);
      await expiration.expireEntries();
    } catch {
      await caches.delete(PAGES);
      await expiration.delete();
    }
    return false;
  });
}

/** There is no such page, there is none any more, or it is elsewhere now. */
const isGone = ({ status, type, redirected }: Response) =>
  status === 404 || status === 410 || type === 'opaqueredirect' || redirected;

/** Does a page say that something else which is kept must not be shown any more? */
async function tellsOfMore(key: string, page: SavedPage): Promise<boolean> {
  const slug = slugOf(key);
  if (!slug) return false;
  const was = followedSlug(key) && (await find(key));
  if (was && isMoreThanNew(was, page)) return true;
  if (page.withdrawn.length === 0) return false;
  const pages = await caches.open(PAGES);
  for (const request of await pages.keys()) {
    if (!mayShow(keyOf(request), slug)) continue;
    const html = await (await pages.match(request, ANY))?.text();
    if (html && stillShows(html, slug, page.withdrawn)) return true;
  }
  return false;
}

/**
 * Throws away what this page was, and all that may show something of its coverage. What left before does not come back.
 * @param seq the change that took it back, where it is known
 */
export const forget = (key: string, seq?: number): Promise<void> => inTurn(() => takeOff(key, seq));

async function takeOff(key: string, seq?: number, but?: string): Promise<void> {
  const slug = slugOf(key);
  await mark(key, seq);
  const pages = await caches.open(PAGES);
  const gone = (await pages.keys())
    .map(keyOf)
    .filter((kept) => (slug === undefined ? kept === key : mayShow(kept, slug)) && kept !== but);
  await Promise.all(gone.map((kept) => pages.delete(kept, ANY)));
  // Last used so long ago that their notes go too.
  await Promise.all(gone.map((kept) => used.setTimestamp(kept, 1)));
  await expiration.expireEntries();
}

function keyOf({ url }: Request): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** Takes away what has been here for too long. */
export const tidy = (): Promise<void> =>
  inTurn(async () => {
    await expiration.expireEntries();
    await clearMarks();
  });

/** Takes away everything. */
export const clear = (): Promise<void> =>
  inTurn(async () => {
    await caches.delete(PAGES);
    await expiration.delete();
  });
