/**
 * Where a coverage's feed is cut. Archive N holds the numbers up to N × 50: what it holds never changes but by
 * corrections and withdrawals, and there is none until it is full. What is above the last one stands in the newest
 * document.
 */
export const FEED_ENTRIES = 50;

/** The archives of a coverage with so many updates. */
export const archivesOf = (count: number): number => Math.floor(count / FEED_ENTRIES);

/** The numbers in one of them, both included. */
export function numbersIn(archive: number): { first: number; last: number } {
  return { first: (archive - 1) * FEED_ENTRIES + 1, last: archive * FEED_ENTRIES };
}

/**
 * What stands in the newest document: what changed last, so many entries, and all that no archive holds.
 * @param changed by when they changed, the last first
 */
export function cutNewest<Entry>(changed: Entry[], isArchived: (entry: Entry) => boolean): Entry[] {
  return changed.filter((entry, n) => n < FEED_ENTRIES || !isArchived(entry));
}
