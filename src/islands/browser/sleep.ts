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
