/** Longest wait after failures, in seconds. */
const LONGEST_S = 300;
/** Least wait on a metered or slow line, in seconds. */
const SLOW_S = 30;

/**
 * Wait between checks while a socket tells of changes, however long the site asks to wait without one: a message that
 * was lost costs no more. In seconds.
 */
const NET_S = 30;

/** How long after its socket was lost a page tries the first time, at most: then twice as long each time. In seconds. */
const JOIN_S = 10;

/** What a browser knows of its line (Network Information, where there is any). */
export type LineQuality = { saveData?: boolean; effectiveType?: string };

/**
 * Milliseconds until the next check: the interval that the site asks for, longer on a metered or slow line,
 * doubled with each failure in a row. After a failure up to half of it is taken off by `chance` (0 to 1), so
 * that readers who lost the site together do not come back together.
 */
export function waitFor(
  interval: number,
  failures: number,
  line: LineQuality | undefined,
  chance: number,
): number {
  const slow = line?.saveData || /^(slow-)?2g$|^3g$/.test(line?.effectiveType ?? '');
  const seconds = Math.min(LONGEST_S, Math.max(interval, slow ? SLOW_S : 0) * 2 ** failures);
  return 1000 * seconds * (failures > 0 ? 1 - chance / 2 : 1);
}

/** Milliseconds until the next check while a socket tells of changes; readers who were told together ask apart. */
export function waitOfNet(chance: number): number {
  return 1000 * NET_S * (1 - chance / 3);
}

/**
 * Milliseconds until the next try to open the socket, after so many that were lost or failed: any part of the wait,
 * because a server that starts again finds all its readers at its door.
 */
export function waitToJoin(tries: number, chance: number): number {
  return 1000 * Math.min(LONGEST_S, JOIN_S * 2 ** (tries - 1)) * (0.1 + 0.9 * chance);
}

/** Is this line too poor for a socket's script? */
export function isPoor(line: LineQuality | undefined): boolean {
  return line?.saveData === true || /2g$/.test(line?.effectiveType ?? '');
}
