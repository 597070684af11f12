import { network, onNetworkChange } from '../network/network.ts';

/** Interval between attempts while the page is visible, in milliseconds. */
const RETRY_MS = 15_000;

/**
 * Reloads this address when the site can be reached: when the connection returns and at an interval, because a browser
 * does not know whether the site answers.
 */
export function returnToPage(): void {
  const reloadIfReachable = async () => {
    if (document.hidden || !network().isOnline) return;
    try {
      await fetch(location.href, {
        method: 'HEAD',
        redirect: 'manual',
        signal: AbortSignal.timeout(RETRY_MS),
      });
      location.reload();
    } catch {
      // The site still does not answer.
    }
  };
  document.getElementById('come-back')?.addEventListener('click', () => location.reload());
  // The offline page at its own address replaces no other page.
  if (location.pathname.startsWith('/offline')) return;
  setInterval(reloadIfReachable, RETRY_MS);
  onNetworkChange(reloadIfReachable);
  document.addEventListener('visibilitychange', reloadIfReachable);
}
