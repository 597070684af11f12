/** Longest wait after failures, in seconds. */
const LONGEST_S = 300;
/** Least wait on a metered or slow line, in seconds. */
const SLOW_S = 30;

/** An interval from which on readers are moved apart: a surge has all of them begin theirs together. In seconds. */
export const RARE_S = 60;

/**
 * First wait and longest one between checks while a socket tells of changes, however long the site asks to wait without
 * one: a message that was lost costs no more. In seconds.
 */
const NET_S = 30;
const LONGEST_NET_S = 240;

/** How long after its socket was lost a page tries the first time, at most: then twice as long each time. In seconds. */
const JOIN_S = 10;

/**
 * Milliseconds until the next check: the interval that the site asks for, longer on a metered or slow line,
 * doubled with each failure in a row. After a failure up to half of it is taken off by `chance` (0 to 1), so
 * that readers who lost the site together do not come back together; of a rare check up to a quarter.
 */
export function waitFor(interval: number, failures: number, isSlow: boolean, chance: number): number {
  const seconds = Math.min(LONGEST_S, Math.max(interval, isSlow ? SLOW_S : 0) * 2 ** failures);
  const off = failures > 0 ? 1 / 2 : interval >= RARE_S ? 1 / 4 : 0;
  return 1000 * seconds * (1 - chance * off);
}

/**
 * Milliseconds until the next check while a socket tells of changes, after so many that found nothing since it last
 * told of something; readers who were told together ask apart.
 */
export function waitOfNet(quiet: number, chance: number): number {
  return 1000 * Math.min(LONGEST_NET_S, NET_S * 2 ** quiet) * (1 - chance / 3);
}

/**
 * Milliseconds until the next try to open the socket, after so many that were lost or failed: any part of the wait,
 * because a server that starts again finds all its readers at its door.
 */
export function waitToJoin(tries: number, chance: number): number {
  return 1000 * Math.min(LONGEST_S, JOIN_S * 2 ** (tries - 1)) * (0.1 + 0.9 * chance);
}
