/** Longest delay after failures, in seconds. */
const MAX_DELAY_S = 300;
/** Shortest delay on a metered or slow connection, in seconds. */
const SLOW_CONNECTION_S = 30;

/** Interval in seconds from which checks are spread, because a surge starts them for all readers at once. */
export const RARE_INTERVAL_S = 60;

/**
 * First and longest delay in seconds between checks while a socket is open. They limit the damage of a lost message.
 */
const FALLBACK_S = 30;
const MAX_FALLBACK_S = 240;

/** Longest delay before the first attempt to reopen a lost socket, in seconds. It doubles with each attempt. */
const FIRST_JOIN_S = 10;

/**
 * Milliseconds until the next check: the site's interval, longer on a slow connection, doubled with each failure.
 * `random` (0 to 1) reduces it by up to half after a failure and up to a quarter for a rare check, to spread readers.
 */
export function pollDelay(interval: number, failures: number, isSlow: boolean, random: number): number {
  const seconds = Math.min(MAX_DELAY_S, Math.max(interval, isSlow ? SLOW_CONNECTION_S : 0) * 2 ** failures);
  const jitter = failures > 0 ? 1 / 2 : interval >= RARE_INTERVAL_S ? 1 / 4 : 0;
  return 1000 * seconds * (1 - random * jitter);
}

/**
 * Milliseconds until the next check while a socket is open, after a number of checks without changes. `random` spreads
 * readers.
 */
export function fallbackPollDelay(quietChecks: number, random: number): number {
  return 1000 * Math.min(MAX_FALLBACK_S, FALLBACK_S * 2 ** quietChecks) * (1 - random / 3);
}

/**
 * Milliseconds until the next attempt to open the socket. `random` uses nearly the whole range, because a restarted
 * server gets all its readers at once.
 */
export function joinDelay(tries: number, random: number): number {
  return 1000 * Math.min(MAX_DELAY_S, FIRST_JOIN_S * 2 ** (tries - 1)) * (0.1 + 0.9 * random);
}

/** Interval of clock checks in milliseconds. */
const CHECK_INTERVAL_MS = 5000;
/** Timers this late did not run: the device slept, or the page was frozen or hidden. */
const ASLEEP_AFTER_MS = 30_000;

/**
 * Calls back when the page wakes or becomes visible after a long time. Only elapsed time counts, not the clock's value.
 * Returns a function that stops it.
 */
export function onWake(callback: () => void): () => void {
  let awakeAt = Date.now();
  const check = () => {
    const slept = Date.now() - awakeAt;
    if (document.hidden) return;
    awakeAt = Date.now();
    if (slept > ASLEEP_AFTER_MS) callback();
  };
  const timer = setInterval(check, CHECK_INTERVAL_MS);
  document.addEventListener('visibilitychange', check);
  // Pages in the back/forward cache have stopped timers.
  window.addEventListener('pageshow', check);
  document.addEventListener('resume', check);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', check);
    window.removeEventListener('pageshow', check);
    document.removeEventListener('resume', check);
  };
}
