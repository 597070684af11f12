import { feed as words } from '../../lib/text/feed.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { $freshness, $line, $reload, $said } from '../stores/feed.ts';
import { statusOf } from './status.ts';

/**
 * Tells those who listen what others see in the status line, where it matters: that nothing more comes, or nothing
 * for now. Answers a function that ends it.
 */
export function announceLine(clock: Clock): () => void {
  const stops = [
    $line.listen((line) => {
      if (line === 'offline' || line === 'saved' || line === 'ended') {
        $said.set(statusOf(line, $freshness.get(), clock).slice(0, 2).join(', '));
      }
    }),
    $reload.listen((why) => {
      if (why !== 'no') $said.set(words.reload[why]);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
