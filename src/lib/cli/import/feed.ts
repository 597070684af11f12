import type { Body } from '../../domain/body/blocks.ts';

/** What an import takes of a feed, in whatever format it came. */
export type Feed = {
  title: string;
  description: string | undefined;
  language: string | undefined;
  /** In time order; items of the same second in the order in which they were written. */
  items: Item[];
};

export type Item = {
  /** Where the item stands in the file, from 0. */
  index: number;
  id: string;
  title: string | undefined;
  body: Body;
  /** Names of its authors. */
  authors: string[];
  tags: string[];
  publishedAt: Date;
};

/** Why a file was refused: one sentence for each mistake. */
export class BadFeed extends Error {
  override name = 'BadFeed';
  readonly mistakes: string[];
  constructor(mistakes: string[]) {
    super(mistakes.join('\n'));
    this.mistakes = mistakes;
  }
}

/** RFC 3339: a date and a time with its zone. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

export const isTime = (value: unknown): value is string =>
  typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value));

/** Feeds are mostly newest first: of two items of one second, the lower one is then the older. */
export function inTimeOrder(items: Item[]): Item[] {
  const [first, last] = [items[0], items.at(-1)];
  const newestFirst = first && last && first.publishedAt > last.publishedAt;
  const written = newestFirst ? items.toReversed() : items;
  return written.toSorted((a, b) => a.publishedAt.getTime() - b.publishedAt.getTime());
}
