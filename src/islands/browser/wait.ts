/** Longest wait after failures, in seconds. */
const MAX_DELAY_S = 300;
/** Least wait on a metered or slow line, in seconds. */
const SLOW_CONNECTION_S = 30;

/** An interval from which on readers are moved apart: a surge has all of them begin theirs together. In seconds. */
export const RARE_INTERVAL_S = 60;

/**
 * First wait and longest one between checks while a socket tells of changes, however long the site asks to wait without
 * one: a message that was lost costs no more. In seconds.
 */
const FALLBACK_S = 30;
const MAX_FALLBACK_S = 240;

/** How long after its socket was lost a page tries the first time, at most: then twice as long each time. In seconds. */
const FIRST_JOIN_S = 10;

/**
 * Milliseconds until the next check: the interval that the site asks for, longer on a metered or slow line,
 * doubled with each failure in a row. After a failure up to half of it is taken off by `chance` (0 to 1), so
 * that readers who lost the site together do not come back together; of a rare check up to a quarter.
 */
export function pollDelay(interval: number, failures: number, isSlow: boolean, random: number): number {
  const seconds = Math.min(MAX_DELAY_S, Math.max(interval, isSlow ? SLOW_CONNECTION_S : 0) * 2 ** failures);
  const jitter = failures > 0 ? 1 / 2 : interval >= RARE_INTERVAL_S ? 1 / 4 : 0;
  return 1000 * seconds * (1 - random * jitter);
}

/**
 * Milliseconds until the next check while a socket tells of changes, after so many that found nothing since it last
 * told of something; readers who were told together ask apart.
 */
export function fallbackPollDelay(quietChecks: number, random: number): number {
  return 1000 * Math.min(MAX_FALLBACK_S, FALLBACK_S * 2 ** quietChecks) * (1 - random / 3);
}

/**
 * Milliseconds until the next try to open the socket, after so many that were lost or failed: any part of the wait,
 * because a server that starts again finds all its readers at its door.
 */
export function joinDelay(tries: number, random: number): number {
  return 1000 * Math.min(MAX_DELAY_S, FIRST_JOIN_S * 2 ** (tries - 1)) * (0.1 + 0.9 * random);
}
