import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { longFeed } from './newsroom.ts';

/** The transcript of Apollo 11, which lies beside the project where it is developed. */
const TRANSCRIPT = resolve('../shared/data/apollo-11.feed.json');

/** Maximum of updates on the newest page. It has 10 to 19 updates. */
export const PAGE = 19;
const TEN = 10;

type Item = { date_published: string; content_text: string };

export type Told = {
  /** The text of a feed. */
  feed: string;
  /** Source of the text. */
  note: string;
};

/** A whole real coverage, or a generated one. @param longest maximum of updates, the newest ones */
export async function realFeed(longest = Number.POSITIVE_INFINITY): Promise<Told> {
  if (!existsSync(TRANSCRIPT)) {
    const note = 'The transcript of Apollo 11 is not here: the words are our own.';
    return { feed: longFeed(Math.min(longest, 1_000)), note };
  }
  const feed = JSON.parse(await readFile(TRANSCRIPT, 'utf8')) as { items: Item[] };
  const items = newestFirst(feed.items).slice(0, longest);
  return { feed: JSON.stringify({ ...feed, items }), note: 'The words are those of Apollo 11.' };
}

/** The same feed, cut so that its newest page has the longest updates, and as many as possible. */
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

/** Index where the page with the largest sum begins. */
export function densest(lengths: number[], page = PAGE): number {
  let [best, most] = [0, -1];
  for (let at = 0; at + page <= lengths.length; at++) {
    const sum = lengths.slice(at, at + page).reduce((all, length) => all + length, 0);
    if (sum > most) [best, most] = [at, sum];
  }
  return best;
}

/** The largest number of updates up to `there` with a newest page of full length. */
export function fullPages(there: number, longest = Number.POSITIVE_INFINITY): number {
  const most = Math.min(there, longest);
  return most - ((most - (PAGE % TEN) + TEN) % TEN);
}

/** @throws if the newest page has fewer updates than possible */
export function mustBeDense(html: string): void {
  const articles = html.match(/<article\b/g)?.length ?? 0;
  if (articles !== PAGE) throw new Error(`The page has ${articles} updates, not ${PAGE}.`);
}

/** A number of words of a feed as one paragraph, from a position on. @param feed its text */
export function wordsOf(feed: string, from: number, many: number): string {
  const { items } = JSON.parse(feed) as { items: Item[] };
  const words = items.flatMap(({ content_text }) => content_text.split(/\s+/));
  return words.slice(from, from + many).join(' ');
}

const newestFirst = (items: Item[]) =>
  items.toSorted((a, b) => b.date_published.localeCompare(a.date_published));
