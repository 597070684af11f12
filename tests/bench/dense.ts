import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { longFeed } from './newsroom.ts';

/** What was really said on the way to the Moon; it lies beside the project where the project is built. */
const TRANSCRIPT = resolve('../shared/data/apollo-11.feed.json');

/** The most that a live page begins with: from 10 to 19 updates, as many of them as make the rest full tens. */
export const PAGE = 19;
const TEN = 10;

type Item = { date_published: string; content_text: string };

export type Told = {
  /** The text of a feed. */
  feed: string;
  /** Whose words these are. */
  note: string;
};

/**
 * The whole of a real coverage, or as long a one of our own.
 * @param longest so many updates at most, the newest
 */
export async function realFeed(longest = Number.POSITIVE_INFINITY): Promise<Told> {
  if (!existsSync(TRANSCRIPT)) {
    const note = 'The transcript of Apollo 11 is not here: the words are our own.';
    return { feed: longFeed(Math.min(longest, 1_000)), note };
  }
  const feed = JSON.parse(await readFile(TRANSCRIPT, 'utf8')) as { items: Item[] };
  const items = newestFirst(feed.items).slice(0, longest);
  return { feed: JSON.stringify({ ...feed, items }), note: 'The words are those of Apollo 11.' };
}

/**
 * The same, cut off where its newest updates are the longest that a page of it could begin with, and at its end where
 * that makes its page the longest: so many that 9 are over.
 */
export async function denseFeed(longest = Number.POSITIVE_INFINITY): Promise<Told> {
  const { feed, note } = await realFeed();
  const told = JSON.parse(feed) as { items: Item[] };
  const items = newestFirst(told.items);
  const at = densest(items.map(({ content_text }) => content_text.length));
  return {
    feed: JSON.stringify({ ...told, items: items.slice(at, at + fullPages(items.length - at, longest)) }),
    note,
  };
}

/** Where the page begins that has the most of these. */
export function densest(lengths: number[], page = PAGE): number {
  let [best, most] = [0, -1];
  for (let at = 0; at + page <= lengths.length; at++) {
    const sum = lengths.slice(at, at + page).reduce((all, length) => all + length, 0);
    if (sum > most) [best, most] = [at, sum];
  }
  return best;
}

/** So many of what there is that the newest page is as long as it may be. */
export function fullPages(there: number, longest = Number.POSITIVE_INFINITY): number {
  const most = Math.min(there, longest);
  return most - ((most - (PAGE % TEN) + TEN) % TEN);
}

/** @throws where a live page does not begin with as many updates as it may: it would be lighter than it says */
export function mustBeDense(html: string): void {
  const articles = html.match(/<article\b/g)?.length ?? 0;
  if (articles !== PAGE) throw new Error(`The page has ${articles} updates, not ${PAGE}.`);
}

/** So many words of what a feed says, from one on, as one paragraph. @param feed its text */
export function wordsOf(feed: string, from: number, many: number): string {
  const { items } = JSON.parse(feed) as { items: Item[] };
  const words = items.flatMap(({ content_text }) => content_text.split(/\s+/));
  return words.slice(from, from + many).join(' ');
}

const newestFirst = (items: Item[]) =>
  items.toSorted((a, b) => b.date_published.localeCompare(a.date_published));
