import { LIMITS } from '../limits.ts';

/**
 * Where a coverage's list is cut into pages. Pages are cut at multiples of the page size, by number and for
 * ever: what an older page holds never changes, and the newest page holds the last full page and the remainder.
 */
const SIZE = LIMITS.page_size;

/** Numbers first to last, both included; empty when last is below first. */
export type Range = { first: number; last: number };

/** The lowest number on the newest page of a coverage with so many updates: that page holds 10 to 19. */
export function newestPageStart(count: number): number {
  return Math.max(0, Math.floor(count / SIZE) * SIZE - SIZE) + 1;
}

/** The numbers on the page below a cut (1 more than a multiple of the page size). */
export function pageBelow(cut: number): Range {
  return { first: cut - SIZE, last: cut - 1 };
}

/** The cut above a number: the `before` of the page that will hold it once it is an older one. */
export function cutAbove(number: number): number {
  return Math.ceil(number / SIZE) * SIZE + 1;
}

/** True when there is a whole page below this cut, one that will stay as it is. */
export function isWholePage(cut: number, count: number): boolean {
  return cut > 1 && cut <= newestPageStart(count);
}

/** The cut that oldest-first reading ends at: above the newest number, whether that page is full or not. */
export function lastCut(count: number): number {
  return cutAbove(Math.max(count, 1));
}

/** The next cut towards the newer updates, and towards the older ones. */
export const cutAfter = (cut: number) => cut + SIZE;
export const cutBefore = (cut: number) => cut - SIZE;
/** The cut of the very first page. */
export const FIRST_CUT = SIZE + 1;
