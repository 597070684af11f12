import { cutAbove, isWholePage } from './cuts.ts';

/** Paths of a coverage's pages, from the site's root. */
export const livePath = (slug: string) => `/live/${slug}`;
export const olderPath = (slug: string, before: number) => `/live/${slug}?before=${before}`;
export const keyEventsPath = (slug: string, before?: number) =>
  `/live/${slug}?show=key${before === undefined ? '' : `&before=${before}`}`;
export const oldestFirstPath = (slug: string, before?: number) =>
  `/live/${slug}?order=oldest${before === undefined ? '' : `&before=${before}`}`;

/** The page of one update. */
export const updatePath = (slug: string, number: number) => `/live/${slug}/${number}`;

/** A coverage by its days. */
export const timelinePath = (slug: string) => `/live/${slug}/timeline`;

/** The place of an update among the others: the page of the list that holds it, and its article there. */
export function placePath(slug: string, number: number, count: number): string {
  const cut = cutAbove(number);
  const page = isWholePage(cut, count) ? olderPath(slug, cut) : livePath(slug);
  return `${page}#update-${number}`;
}
