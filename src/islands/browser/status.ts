import { feed as words } from '../../lib/text/feed.ts';
import { states } from '../../lib/text/states.ts';
import { type Clock, clockTime, zoneName } from '../../lib/time/clock.ts';
import { timeBeside } from '../../lib/time/days.ts';
import type { Freshness, Line } from '../stores/feed.ts';

/**
 * What the page says of its freshness: in a word or two, and then how fresh it is, in the coverage's time. Changes
 * with a check, never by itself.
 */
export function statusOf(
  line: Line,
  { checked, state, newest }: Freshness,
  clock: Clock,
): [is: string, ...more: string[]] {
  const at = new Date(checked);
  // The zone is named with the last time of the line.
  const time = `${clockTime(at, clock)}${newest ? '' : ` ${zoneName(at, clock)}`}`;
  const news = newest ? [words.newest(timeBeside(newest, at, clock))] : [];
  switch (line) {
    case 'behind':
      return [words.behind, words.since(time), words.tryingAgain, ...news];
    case 'lost':
      return [words.behind, words.since(time), ...news];
    case 'offline':
      return [words.offline, words.since(time), ...news];
    case 'paused':
      return [words.pausedByYou, words.checked(time), ...news];
    case 'ended':
      return [states[state], ...news];
    default:
      return [states[state], words.checked(time), ...news];
  }
}
