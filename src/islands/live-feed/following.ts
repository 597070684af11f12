import type { BrowserBackend } from '../../lib/data/browser-client.ts';
import { network } from '../network/network.ts';
import { RARE_INTERVAL_S } from '../network/retry.ts';
import { type ChangesResponse, fetchChanges } from './changes.ts';
import { createPoller, type FollowMode, readFollowMode } from './polling.ts';
import type { TopicSocket } from './socket.ts';
import { $announcement, $freshness, $mayCheck, $pauseReasons, $reload } from './store.ts';

type FollowTask = {
  /** The `<main>` element of the coverage's page. */
  page: HTMLElement;
  /** Applies one response; a check may have several. */
  apply(response: ChangesResponse): void;
  /** A check has ended and the page is up to date. */
  onUpToDate(): void;
  /** The coverage was withdrawn. */
  onWithdrawn(): void;
};

/** Follows a coverage by socket or checks while the stores allow it. Returns a function that stops it. */
export function startFollowing({ page, apply, onUpToDate, onWithdrawn }: FollowTask): () => void {
  const { id = '', slug = '', seq, build, state } = page.dataset;
  let followMode = readFollowMode(page);
  let shouldBeOpen = false;
  let isLoaded = false;
  let socket: TopicSocket | undefined;

  const poller = createPoller<ChangesResponse>({
    seq: Number(seq),
    interval: followMode.interval,
    fetchChanges(after, until) {
      $announcement.set('');
      return fetchChanges(slug, after, until);
    },
    apply(response) {
      followMode = response;
      $freshness.setKey('every', rareInterval(followMode));
      offerReload(response);
      apply(response);
    },
    onUpToDate(at) {
      $pauseReasons.setKey('failures', 0);
      $freshness.setKey('checked', at);
      onUpToDate();
      updateSocket();
    },
    onFailed: (times) => $pauseReasons.setKey('failures', times),
    onWithdrawn,
    random: Math.random,
    isSlow: () => network().isSlow,
  });

  /**
   * Sets at most one reason per response. A second one would be announced too, and would allow the checks of a `lost`
   * page again.
   */
  function offerReload(response: ChangesResponse) {
    if (response.farBehind) $reload.set('lost');
    else if (state === 'scheduled' && response.state !== state) $reload.set('begun');
    else if (response.build !== build || response.newSettings) $reload.set('newer');
  }

  /** Opens, keeps or closes the socket. */
  function updateSocket() {
    const { follow, backend } = followMode;
    // An open socket is included in the site's count of sockets, so it stays open in mode `full`.
    const usesSocket = follow === 'sockets' || (follow === 'full' && shouldBeOpen);
    shouldBeOpen = usesSocket && $mayCheck.get() && !network().isPoor;
    if (shouldBeOpen && backend && !isLoaded) loadSocket(backend);
    socket?.setOpen(shouldBeOpen);
  }

  async function loadSocket(backend: BrowserBackend) {
    isLoaded = true;
    try {
      const { coverageSocket } = await import('./socket.ts');
      socket = coverageSocket(id, backend, poller);
      socket.setOpen(shouldBeOpen);
    } catch {
      // The check succeeded, so only the script is missing: a newer build has replaced it.
      if ($reload.get() === 'no') $reload.set('newer');
    }
  }

  const unsubscribe = $mayCheck.subscribe((isAllowed) => {
    poller.setAllowed(isAllowed);
    updateSocket();
  });
  return () => {
    unsubscribe();
    poller.setAllowed(false);
    shouldBeOpen = false;
    socket?.setOpen(false);
  };
}

/** Seconds between checks if they are rare enough to be shown; else 0. */
function rareInterval({ follow, interval }: FollowMode): number {
  return follow === 'checks' && interval >= RARE_INTERVAL_S ? interval : 0;
}
