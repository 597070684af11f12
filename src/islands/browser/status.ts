import { feed as words } from '../../lib/text/feed.ts';
import { states } from '../../lib/text/states.ts';
import { type Clock, clockTime } from '../../lib/time/clock.ts';
import { timeBeside } from '../../lib/time/days.ts';
import type { FeedState, Freshness } from '../stores/feed.ts';

/**
 * What the page says of its freshness: in a word or two, and then how fresh it is, in the coverage's time. Changes
 * with a check, never by itself.
 * @param now by this device's clock: what is of another day names its day
 */
export function statusOf(
  feedState: FeedState,
  { checked, state, newest }: Freshness,
  clock: Clock,
  now = Date.now(),
): [is: string, ...more: string[]] {
  const at = new Date(checked);
  const time = clockTime(at, clock);
  const since = timeBeside(at, new Date(now), clock);
  switch (feedState) {
    case 'behind':
      return [words.behind, words.since(since), words.tryingAgain];
    case 'lost':
      return [words.behind, words.since(since)];
    case 'offline':
      return [words.offline, words.since(since)];
    case 'saved':
      return [words.offline, words.savedCopy, words.since(since)];
    case 'paused':
      return [words.pausedByYou, words.checked(since)];
  }
  const newestNote = newest ? [words.newest(timeBeside(newest, at, clock))] : [];
  if (feedState === 'ended') return [states[state], ...newestNote];
  const note = state === 'paused' ? [words.pausedNote] : [];
  // The zone is named once, with the last time of the line.
  return [states[state], ...note, words.checked(newest ? time : timeBeside(at, at, clock)), ...newestNote];
}
