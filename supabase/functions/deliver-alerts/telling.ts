import type { Delivery, ToldUpdate } from './delivery.ts';
import { wordsIn } from './words.ts';

/** Content of an alert for both channels. */
export type Telling = {
  /** URL of the live page. */
  page: string;
  updates: (ToldUpdate & { url: string })[];
  newest: string;
};

/** @param site URL of the site */
export function tellingOf({ coverage, updates, language, total }: Delivery, site: string): Telling {
  const page = new URL(`/live/${coverage.slug}`, site).href;
  const [first] = updates;
  // An update may consist of a photo only.
  const newest = first?.headline || first?.text || wordsIn(language).news(total);
  return {
    page,
    updates: updates.map((update) => ({ ...update, url: `${page}/${update.number}` })),
    newest: oneLine(newest),
  };
}

/** Replaces line breaks and control characters, so that the text is safe in headers, titles and terminals. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
