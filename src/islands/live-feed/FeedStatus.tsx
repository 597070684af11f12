import { useStore } from '@nanostores/react';
import type { Clock } from '../../lib/domain/time.ts';
import { statusOf } from './status.ts';
import { $feedState, $freshness } from './store.ts';

/** Status line of a followed page. */
export function FeedStatus({ clock, starts }: { clock: Clock; starts: string | undefined }) {
  const feedState = useStore($feedState);
  const freshness = useStore($freshness);
  const [is, ...more] = statusOf(feedState, freshness, clock);
  if (starts && freshness.state === 'scheduled') more.unshift(starts);
  // The line keeps at least its previous height, so that nothing below moves up.
  const minHeight = document.getElementById('status')?.getBoundingClientRect().height;
  return (
    <p id="status" key={is} style={{ minBlockSize: minHeight }}>
      <strong className={feedState === 'live' ? freshness.state : feedState}>{is}</strong>
      {more.map((part) => (
        <span key={part}>{part}</span>
      ))}
    </p>
  );
}
