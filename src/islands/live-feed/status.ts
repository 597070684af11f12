import { type Clock, timeRelativeTo } from '../../lib/domain/time.ts';
import { feed, states } from '../../lib/i18n/en/live-feed.ts';
import { islandMessages } from '../../lib/i18n/messages.ts';
import { $announcement, $feedState, $freshness, $reload, type FeedState, type Freshness } from './store.ts';

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
