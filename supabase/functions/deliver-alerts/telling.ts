import type { Delivery, ToldUpdate } from './delivery.ts';
import { wordsIn } from './words.ts';

/** What a delivery has to say, whichever way it goes. */
export type Telling = {
  /** The coverage's page. */
  page: string;
  updates: (ToldUpdate & { url: string })[];
  newest: string;
};

/** @param site its address */
export function tellingOf({ coverage, updates, language, total }: Delivery, site: string): Telling {
  const page = new URL(`/live/${coverage.slug}`, site).href;
  const [first] = updates;
  // A photo alone has no words.
  const newest = first?.headline || first?.text || wordsIn(language).news(total);
  return {
    page,
    updates: updates.map((update) => ({ ...update, url: `${page}/${update.number}` })),
    newest: oneLine(newest),
  };
}

/** Fit to stand in a header, a title or a line of a terminal: nothing in it ends a line or moves a cursor. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
