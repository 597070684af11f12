import { useStore } from '@nanostores/react';
import type { Clock } from '../../lib/time/clock.ts';
import { statusOf } from '../browser/status.ts';
import { $freshness, $line } from '../stores/feed.ts';

/** The status line of a page that is followed: the only thing on it that moves. */
export function FeedStatus({ clock }: { clock: Clock }) {
  const line = useStore($line);
  const freshness = useStore($freshness);
  const [is, ...more] = statusOf(line, freshness, clock);
  return (
    <p id="status">
      <strong className={line === 'live' ? freshness.state : line}>{is}</strong>
      {more.map((part) => (
        <span key={part}>{part}</span>
      ))}
    </p>
  );
}
