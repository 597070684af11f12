/** How often the page looks at the clock, in milliseconds. */
const CHECK_INTERVAL_MS = 5000;
/** Timers that come so late did not run meanwhile: the machine slept, or the page was frozen or out of sight. */
const ASLEEP_AFTER_MS = 30_000;

/**
 * Calls back when the page wakes, or is seen again, and knows only how things stood when it was last awake. What the
 * clock says is of no matter, only how far it has gone. Answers a function that ends it.
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
  // From the browser's store of pages that were left; the timers there stand still.
  window.addEventListener('pageshow', check);
  document.addEventListener('resume', check);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', check);
    window.removeEventListener('pageshow', check);
    document.removeEventListener('resume', check);
  };
}
