import { feed as messages } from '../../lib/text/feed.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { $announcement, $feedState, $freshness, $reload } from '../stores/feed.ts';
import { statusOf } from './status.ts';

/** Announces important changes of the status line to screen readers. Returns a function that stops it. */
export function announceFeedState(clock: Clock): () => void {
  const stops = [
    $feedState.listen((feedState) => {
      if (feedState === 'offline' || feedState === 'saved' || feedState === 'ended') {
        $announcement.set(statusOf(feedState, $freshness.get(), clock).slice(0, 2).join(', '));
      }
    }),
    $reload.listen((why) => {
      if (why !== 'no') $announcement.set(messages.reload[why]);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
