/** How often the page looks at the clock, in milliseconds. */
const EVERY_MS = 5000;
/** Timers that come so late did not run meanwhile: the machine slept, or the page was frozen or out of sight. */
const ASLEEP_MS = 30_000;

/**
 * Calls back when the page wakes, or is seen again, and knows only how things stood when it was last awake. What the
 * clock says is of no matter, only how far it has gone. Answers a function that ends it.
 */
export function watchSleep(woke: () => void): () => void {
  let awakeAt = Date.now();
  const look = () => {
    const slept = Date.now() - awakeAt;
    if (document.hidden) return;
    awakeAt = Date.now();
    if (slept > ASLEEP_MS) woke();
  };
  const timer = setInterval(look, EVERY_MS);
  document.addEventListener('visibilitychange', look);
  // From the browser's store of pages that were left; the timers there stand still.
  window.addEventListener('pageshow', look);
  document.addEventListener('resume', look);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', look);
    window.removeEventListener('pageshow', look);
    document.removeEventListener('resume', look);
  };
}
