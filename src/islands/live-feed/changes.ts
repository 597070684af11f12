import type { PublicState } from '../../lib/domain/reader-coverage.ts';
import type { Update } from './page.ts';
import { type ChangesResult, type FollowMode, readFollowMode } from './polling.ts';

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
export async function fetchChanges(
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
