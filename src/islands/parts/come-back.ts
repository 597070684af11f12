/** Between two tries while the page is looked at. In milliseconds. */
const RETRY_MS = 15_000;

/**
 * Loads this address again when the site can be reached: at once when the line is back, and every now and then,
 * because a browser does not know whether the site answers.
 */
export function returnToPage(): void {
  const reloadIfReachable = async () => {
    if (document.hidden || !navigator.onLine) return;
    try {
      await fetch(location.href, {
        method: 'HEAD',
        redirect: 'manual',
        signal: AbortSignal.timeout(RETRY_MS),
      });
      location.reload();
    } catch {
      // Not yet.
    }
  };
  document.getElementById('come-back')?.addEventListener('click', () => location.reload());
  // What stands at its own address stands in for nothing.
  if (location.pathname.startsWith('/offline')) return;
  setInterval(reloadIfReachable, RETRY_MS);
  window.addEventListener('online', reloadIfReachable);
  document.addEventListener('visibilitychange', reloadIfReachable);
}
