import { atom, computed, map } from 'nanostores';
import type { PublicState } from '../../lib/coverage/coverage.ts';

/**
 * Whether changes are arriving, and if not, why. `starting` is what the server rendered; `saved` a copy that was kept
 * on this device, until the site has been asked; a `lost` page is too old to be brought up to date.
 */
export type FeedState = 'starting' | 'live' | 'behind' | 'saved' | 'offline' | 'paused' | 'ended' | 'lost';

/** What keeps the page from asking, or from getting an answer. */
export const $pauseReasons = map({
  started: false,
  /** By the reader. */
  paused: false,
  offline: false,
  /** It is a saved copy, and nothing has been heard of the site yet. */
  saved: false,
  /** It was asleep, or out of sight for long: what it knows is of then. */
  stale: false,
  hidden: false,
  /** The coverage is. */
  ended: false,
  /** Checks that have failed in a row. */
  failures: 0,
});

/** Why the page should be loaded again, if it should. */
export const $reload = atom<'no' | 'newer' | 'begun' | 'lost'>('no');

export const $feedState = computed([$pauseReasons, $reload], (reasons, reload): FeedState => {
  if (!reasons.started) return 'starting';
  if (reload === 'lost') return 'lost';
  if (reasons.ended) return 'ended';
  if (reasons.paused) return 'paused';
  if (reasons.saved) return 'saved';
  if (reasons.offline) return 'offline';
  return reasons.failures > 0 || reasons.stale ? 'behind' : 'live';
});

/** May the page ask now? */
export const $mayCheck = computed(
  [$feedState, $pauseReasons],
  (feedState, { hidden, offline }) => ['live', 'behind', 'saved'].includes(feedState) && !hidden && !offline,
);

/** How fresh the page is. */
export type Freshness = {
  /** When the page last knew everything, in milliseconds. */
  checked: number;
  state: PublicState;
  /** When its newest update was published; empty when it has none. */
  newest: string;
  /** Seconds between its checks, where they are so rare that readers are told, as under a surge; else 0. */
  every: number;
};
export const $freshness = map<Freshness>({ checked: 0, state: 'live', newest: '', every: 0 });

/** How many new updates wait for the reader, tombstones not counted. */
export const $held = atom(0);

/** What a screen reader is told, once. */
export const $announcement = atom('');
