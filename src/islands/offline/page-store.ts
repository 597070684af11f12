import { CacheExpiration } from 'workbox-expiration/CacheExpiration.js';
import { CacheTimestampsModel } from 'workbox-expiration/models/CacheTimestampsModel.js';
import { PAGES, WITHDRAWN_MARKS } from './names.ts';
import {
  followedSlug,
  hasMoreThanNewUpdates,
  mayShow,
  readSaved,
  type SavedPage,
  showsUpdates,
  slugOf,
} from './saved-page.ts';

/* Marks recent withdrawals. A response sent before, or a page from another cache, must not be saved again. The marks are stored, because workers are stopped at any time. */

/** How long another cache may hold a withdrawn page (lib/http/cache.ts), in milliseconds. */
const CACHE_LIFETIME_MS = 60_000;
/** Longest time that a response may be under way, in milliseconds. */
const MAX_RESPONSE_AGE_MS = 10 * 60_000;

type WithdrawnMark = {
  /** A page of the coverage, or the withdrawn page itself. */
  key: string;
  /** The change that withdrew it, if known. */
  seq?: number;
  /** Responses to requests before this time (this device's clock) may be outdated. */
  until: number;
};

/** Marks a page or its coverage as withdrawn by a change. */
async function markWithdrawn(key: string, seq?: number): Promise<void> {
  const slug = slugOf(key);
  const name = slug === undefined ? key : `/live/${slug}`;
  const previous = (await readMarks()).find((existing) => existing.key === name);
  const both = previous ? previous.seq !== undefined && seq !== undefined : seq !== undefined;
  const newest = both ? Math.max(previous?.seq ?? 0, seq ?? 0) : undefined;
  const note: WithdrawnMark = { key: name, seq: newest, until: Date.now() + CACHE_LIFETIME_MS };
  const notes = await caches.open(WITHDRAWN_MARKS);
  await notes.put(addressOf(name), new Response(JSON.stringify(note)));
}

/**
 * Whether this page may be saved.
 * @param requestedAt when its request was sent
 */
async function isAllowed(key: string, { followed }: SavedPage, requestedAt: number): Promise<boolean> {
  return (await readMarks()).every((existing) => {
    const slug = slugOf(existing.key);
    if (slug === undefined ? key !== existing.key : !mayShow(key, slug)) return true;
    const hasSeq = existing.seq !== undefined && slugOf(key) === slug && followed !== undefined;
    return hasSeq ? Number(followed.seq) >= Number(existing.seq) : requestedAt >= existing.until;
  });
}

/** Deletes marks that no response can precede any more. */
async function clearMarks(): Promise<void> {
  const valid = (await readMarks()).map(({ key }) => addressOf(key));
  const notes = await caches.open(WITHDRAWN_MARKS);
  const expired = (await notes.keys()).filter(
    ({ url }) => !valid.includes(new URL(url).pathname + new URL(url).search),
  );
  await Promise.all(expired.map((request) => notes.delete(request)));
}

async function readMarks(): Promise<WithdrawnMark[]> {
  const now = Date.now();
  const notes = await caches.open(WITHDRAWN_MARKS);
  const all = await Promise.all(
    (await notes.keys()).map(async (request) => {
      const note: WithdrawnMark | undefined = await (await notes.match(request))?.json();
      return note ?? [];
    }),
  );
  // A clock that was set back would make a mark last too long.
  return all
    .flat()
    .filter(({ until }) => until + MAX_RESPONSE_AGE_MS > now && until <= now + CACHE_LIFETIME_MS);
}

/** Not the URL of a page. */
const addressOf = (key: string) => `/withdrawn${key}`;

/** Limits of saved pages: number and age. The least recently used page is deleted first. */
const MAX_PAGES = 30;
const MAX_AGE_S = 30 * 24 * 3600;

/** Pages do not vary by request headers. */
const ANY_REQUEST = { ignoreVary: true };

const expiration = new CacheExpiration(PAGES, {
  maxEntries: MAX_PAGES,
  maxAgeSeconds: MAX_AGE_S,
  matchOptions: ANY_REQUEST,
});
/** The library's data about the last use of each page, needed to delete a single entry. */
const timestamps = new CacheTimestampsModel(PAGES);

let lastTask: Promise<unknown> = Promise.resolve();

/** Runs tasks one after another, so that no page is saved while others are deleted. */
function inSequence<Result>(task: () => Promise<Result>): Promise<Result> {
  const done = lastTask.then(task);
  lastTask = done.catch(() => undefined);
  return done;
}

/** A saved page with its response headers. */
export type StoredPage = SavedPage & { headers: Headers };

export async function findPage(key: string): Promise<StoredPage | undefined> {
  const pages = await caches.open(PAGES);
  const response = await pages.match(key, ANY_REQUEST);
  if (!response) return;
  const page = (await expiration.isURLExpired(key)) ? undefined : readSaved(await response.text());
  if (page) return { ...page, headers: response.headers };
  await pages.delete(key, ANY_REQUEST);
  return;
}

/** Circumstances of a request. */
type SaveOptions = {
  /** When the request was sent, by this device's clock. */
  requestedAt: number;
  /** For a followed page, the change that it must contain. */
  seq?: number;
};

/**
 * Saves a page and deletes saved pages that it shows to be withdrawn. When storage is full, all pages are deleted.
 * @returns whether the page is older than a known change and must be requested again
 */
export async function savePage(
  key: string,
  response: Response,
  { requestedAt, seq = 0 }: SaveOptions,
): Promise<boolean> {
  if (isGone(response)) {
    await deleteShowing(key);
    return false;
  }
  if (response.status !== 200 || !/^text\/html/.test(response.headers.get('content-type') ?? ''))
    return false;
  const html = await response.text();
  const page = readSaved(html);
  if (Number(page?.followed?.seq ?? seq) < seq) return true;
  if (!page) return false;
  const headers = new Headers(response.headers);
  // Headers of the original encoding and of the browser's cache.
  for (const name of ['content-encoding', 'content-length', 'etag']) headers.delete(name);
  return inSequence(async () => {
    if (!(await isAllowed(key, page, requestedAt))) return true;
    try {
      if (await withdrawsOthers(key, page)) await removeShowing(key, Number(page.followed?.seq), key);
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

/** The page does not exist or has moved. */
const isGone = ({ status, type, redirected }: Response) =>
  status === 404 || status === 410 || type === 'opaqueredirect' || redirected;

/** Whether a page shows that other saved pages must be deleted. */
async function withdrawsOthers(key: string, page: SavedPage): Promise<boolean> {
  const slug = slugOf(key);
  if (!slug) return false;
  const previous = followedSlug(key) && (await findPage(key));
  if (previous && hasMoreThanNewUpdates(previous, page)) return true;
  if (page.withdrawn.length === 0) return false;
  const pages = await caches.open(PAGES);
  for (const request of await pages.keys()) {
    if (!mayShow(keyOf(request), slug)) continue;
    const html = await (await pages.match(request, ANY_REQUEST))?.text();
    if (html && showsUpdates(html, slug, page.withdrawn)) return true;
  }
  return false;
}

/**
 * Deletes this page and all pages that may show its coverage. Responses sent before are not saved again.
 * @param seq the change that withdrew it, if known
 */
export const deleteShowing = (key: string, seq?: number): Promise<void> =>
  inSequence(() => removeShowing(key, seq));

async function removeShowing(key: string, seq?: number, except?: string): Promise<void> {
  const slug = slugOf(key);
  const pages = await caches.open(PAGES);
  const keys = (await pages.keys())
    .map(keyOf)
    .filter((stored) => (slug === undefined ? stored === key : mayShow(stored, slug)) && stored !== except);
  // Before the mark, which a full storage may refuse.
  await Promise.all(keys.map((stored) => pages.delete(stored, ANY_REQUEST)));
  await markWithdrawn(key, seq);
  // An old time makes the library delete its entries too.
  await Promise.all(keys.map((stored) => timestamps.setTimestamp(stored, 1)));
  await expiration.expireEntries();
}

function keyOf({ url }: Request): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** Deletes pages that are too old. */
export const deleteExpired = (): Promise<void> =>
  inSequence(async () => {
    await expiration.expireEntries();
    await clearMarks();
  });

/** Deletes all saved pages. */
export const deleteAll = (): Promise<void> =>
  inSequence(async () => {
    await caches.delete(PAGES);
    await expiration.delete();
  });
