import type { BrowserBackend } from '../../lib/data/browser-client.ts';
import type { PublicState } from '../../lib/domain/reader-coverage.ts';
import { network } from '../network/network.ts';
import { RARE_INTERVAL_S } from '../network/retry.ts';
import type { Update } from './page.ts';
import { type ChangesResult, createPoller, type FollowMode, readFollowMode } from './polling.ts';
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

/** A parsed changes response. */
export type ChangesResponse = ChangesResult &
  FollowMode & {
    build: string;
    /** The page's own settings have changed, such as its headline or time zone. */
    newSettings: boolean;
    state: PublicState;
    updates: Update[];
    /** Complete parts of the page outside the list; each replaces the part with its id. */
    sections: HTMLElement[];
  };

/**
 * Fetches the changes of a coverage after `after`. `until` is a change that the site must know, or 0. Returns `gone`
 * for a withdrawn coverage and `early` when the site does not know `until` yet.
 * @throws when the response is not usable
 */
async function fetchChanges(
  slug: string,
  after: number,
  until: number,
): Promise<ChangesResponse | 'gone' | 'early'> {
  const query = until > 0 ? `after=${after}&until=${until}` : `after=${after}`;
  // The response is the same for all readers, so no credentials are sent.
  const response = await fetch(`/live/${slug}/changes?${query}`, {
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    signal: AbortSignal.timeout(CHANGES_TIMEOUT_MS),
  });
  // Reading the body frees the connection for the next request.
  const text = await response.text();
  if (response.status === 410) return 'gone';
  if (until > 0 && response.status === 503 && isRetrySoon(response)) return 'early';
  if (!response.ok) throw new Error(`${response.status}`);
  // The time of the site's clock, because a phone's may be wrong. A frame without an origin cannot read it.
  const at = Date.parse(response.headers.get('date') ?? '') || Date.now();
  return { at, ...parseChanges(text) };
}

/** Whether the site asks for a retry soon. A site that cannot reach its backend asks for a longer delay. */
function isRetrySoon({ headers }: Response): boolean {
  const seconds = Number(headers.get('retry-after'));
  return seconds > 0 && seconds <= SOON_RETRY_S;
}

/** In seconds. */
const SOON_RETRY_S = 2;
/** A slow connection needs seconds for a few KB; a dead one must be noticed before the next check. */
const CHANGES_TIMEOUT_MS = 25_000;

function parseChanges(html: string): Omit<ChangesResponse, 'at'> {
  const root = new DOMParser()
    .parseFromString(html, 'text/html')
    .querySelector<HTMLElement>('[data-changes]');
  const data = root?.dataset ?? {};
  const through = Number(data.through);
  // A captive portal also answers with status 200.
  if (!root || !(through >= 0)) throw new Error('not an answer');
  const followMode = readFollowMode(root);
  if (!(followMode.interval >= 1)) throw new Error('not an answer');
  return {
    ...followMode,
    through,
    more: data.more === 'true',
    farBehind: data.reload === 'true',
    build: data.build ?? '',
    newSettings: data.settings === 'true',
    state: data.state as PublicState,
    updates: readUpdates(root),
    sections: [...root.querySelectorAll<HTMLElement>(':scope > section')],
  };
}

/** Updates follow the headings of their days, as on the page. */
function readUpdates(root: HTMLElement): Update[] {
  let day: HTMLElement | undefined;
  const updates: Update[] = [];
  for (const element of root.querySelectorAll<HTMLElement>(':scope > .day, :scope > article')) {
    if (element.matches('article')) updates.push({ article: element, day });
    else day = element;
  }
  return updates;
}
