import { atom, computed, map } from 'nanostores';
import type { PublicState } from '../../lib/domain/reader-coverage.ts';
import { type Clock, timeRelativeTo } from '../../lib/domain/time.ts';
import { feed, states } from '../../lib/i18n/en/live-feed.ts';
import { islandMessages } from '../../lib/i18n/messages.ts';

/**
 * Whether changes arrive, or why not. `starting` is the server's rendering, `saved` a copy on this device before the
 * first check; a `lost` page is too old to be updated.
 */
export type FeedState = 'starting' | 'live' | 'behind' | 'saved' | 'offline' | 'paused' | 'ended' | 'lost';

/** Conditions that pause checks or explain a missing response. */
export const $pauseReasons = map({
  started: false,
  /** By the reader. */
  paused: false,
  offline: false,
  /** The page is a saved copy and has not been checked yet. */
  saved: false,
  /** The device slept or the page was hidden for long, so it is outdated. */
  stale: false,
  hidden: false,
  /** The coverage has ended. */
  ended: false,
  /** Consecutive failed checks. */
  failures: 0,
});

/** Why the page should be reloaded. */
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

/** Whether the page may check now. */
export const $mayCheck = computed(
  [$feedState, $pauseReasons],
  (feedState, { hidden, offline }) => ['live', 'behind', 'saved'].includes(feedState) && !hidden && !offline,
);

/** Freshness of the page. */
export type Freshness = {
  /** Time of the last successful check, in milliseconds since 1970. */
  checked: number;
  state: PublicState;
  /** Publication time of the newest update; empty when there is none. */
  newest: string;
  /** Seconds between checks if they are rare enough to be shown, as during a surge; else 0. */
  every: number;
};
export const $freshness = map<Freshness>({ checked: 0, state: 'live', newest: '', every: 0 });

/** Number of held updates, without tombstones. */
export const $held = atom(0);

/** First words of an urgent update that arrived while its banner is out of view; else empty. */
export const $urgentBar = atom('');

/** Message for screen readers. */
export const $announcement = atom('');

/** Message that screen readers read at once: an urgent update that has just arrived. */
export const $alert = atom('');

/** Returns the messages of the live feed in a language. */
export const feedMessages = islandMessages({ feed, states });

export type FeedMessages = ReturnType<typeof feedMessages>;

/**
 * Status line of the page: its state, then the time at which it was up to date, in the coverage's time zone. It
 * changes only with a check.
 * @param now this device's time; other days are named
 * @param checkedText the time of the check as the server rendered it
 */
export function statusOf(
  { feed: messages, states }: FeedMessages,
  feedState: FeedState,
  { checked, state }: Freshness,
  clock: Clock,
  now = Date.now(),
  checkedText?: string | null,
): [is: string, ...more: string[]] {
  const at = new Date(checked);
  const time = () => timeRelativeTo(at, new Date(now), clock);
  switch (feedState) {
    case 'behind':
      return [messages.behind, messages.since(time()), messages.tryingAgain];
    case 'lost':
      return [messages.behind, messages.since(time())];
    case 'offline':
      return [messages.offline, messages.since(time())];
    case 'saved':
      return [messages.offline, messages.savedCopy, messages.since(time())];
    case 'paused':
      return [messages.pausedByYou, messages.updated(time())];
  }
  const note = state === 'paused' ? [messages.pausedNote] : [];
  return [states[state], ...note, messages.updated(checkedText ?? timeRelativeTo(at, at, clock))];
}

/** Announces important changes of the status line to screen readers. Returns a function that stops it. */
export function announceFeedState(clock: Clock, messages: FeedMessages): () => void {
  const stops = [
    $feedState.listen((feedState) => {
      if (feedState === 'offline' || feedState === 'saved' || feedState === 'ended') {
        $announcement.set(statusOf(messages, feedState, $freshness.get(), clock).slice(0, 2).join(', '));
      }
    }),
    $reload.listen((why) => {
      if (why !== 'no') $announcement.set(messages.feed.reload[why]);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
