import type { PublicState } from '../../lib/coverage/coverage.ts';
import type { ChangesResult } from './follow.ts';
import type { Update } from './list.ts';
import { type FollowMode, readFollowMode } from './way.ts';

/** An answer of `changes`, read out of its markup. */
export type ChangesResponse = ChangesResult &
  FollowMode & {
    build: string;
    /** The page itself is made differently now: its headline, its zone. */
    newSettings: boolean;
    state: PublicState;
    updates: Update[];
    /** Parts of the page outside the list, each whole, to stand in for the one with its id. */
    sections: HTMLElement[];
  };

/**
 * Asks a coverage what changed since `after`, of a site that knows change `until` (0: whatever it knows). Rejects
 * when there is no good answer; `gone` when the coverage was withdrawn, `early` when the site does not know `until` yet.
 */
export async function fetchChanges(
  slug: string,
  after: number,
  until: number,
): Promise<ChangesResponse | 'gone' | 'early'> {
  const query = until > 0 ? `after=${after}&until=${until}` : `after=${after}`;
  // The answer is the same for everybody, so nothing of this reader goes along.
  const response = await fetch(`/live/${slug}/changes?${query}`, {
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    signal: AbortSignal.timeout(CHANGES_TIMEOUT_MS),
  });
  // Read even where it is of no use: only then is the connection free for the next question.
  const text = await response.text();
  if (response.status === 410) return 'gone';
  if (until > 0 && response.status === 503 && isRetrySoon(response)) return 'early';
  if (!response.ok) throw new Error(`${response.status}`);
  // By the site's clock: that of a phone may be wrong.
  const at = Date.parse(response.headers.get('date') ?? '') || Date.now();
  return { at, ...parseChanges(text) };
}

/** Will it be worth asking again in a moment? A site that cannot reach its backend asks for more time. */
function isRetrySoon({ headers }: Response): boolean {
  const seconds = Number(headers.get('retry-after'));
  return seconds > 0 && seconds <= SOON_RETRY_S;
}

/** In seconds. */
const SOON_RETRY_S = 2;
/** A slow line takes seconds for a few KB; a dead one should be known before the next check. */
const CHANGES_TIMEOUT_MS = 25_000;

function parseChanges(html: string): Omit<ChangesResponse, 'at'> {
  const root = new DOMParser()
    .parseFromString(html, 'text/html')
    .querySelector<HTMLElement>('[data-changes]');
  const data = root?.dataset ?? {};
  const through = Number(data.through);
  // A hotel's sign-in page also answers 200.
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

/** Updates stand under the headings of their days, as on the page. */
function readUpdates(root: HTMLElement): Update[] {
  let day: HTMLElement | undefined;
  const updates: Update[] = [];
  for (const element of root.querySelectorAll<HTMLElement>(':scope > .day, :scope > article')) {
    if (element.matches('article')) updates.push({ article: element, day });
    else day = element;
  }
  return updates;
}
