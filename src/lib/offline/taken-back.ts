import { TAKEN_BACK } from './names.ts';
import type { SavedPage } from './page.ts';
import { mayShow, slugOf } from './visited.ts';

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
