import { type ComponentType, useEffect, useRef, useState } from 'react';
import { readTipCounts, type TipCounts } from '../../lib/data/tip-queue.ts';
import { deskList as messages } from '../../lib/i18n/desk-list.ts';
import type { Desk } from '../desk/desk.ts';
import { useShared } from '../desk/hooks.ts';
import { openTipsLine } from './refetch.ts';

/** Changes that come together are counted once: milliseconds. */
const TOGETHER_MS = 1000;

/** Tips about the coverage, folded at its desk: how many are open, and the list of them once somebody opens it. */
export function CoverageTips({ desk }: { desk: Desk }) {
  const { id, slug } = useShared(desk.$coverage);
  const counts = useCounts(desk, id);
  const [Queue, setQueue] = useState<ComponentType<{ desk: Desk }>>();
  const [isOpen, setOpen] = useState(false);
  const place = useRef<HTMLDetailsElement>(null);
  // It may have been opened before this was listened for.
  useEffect(() => setOpen(place.current?.open ?? false), []);
  useEffect(() => {
    if (!isOpen || Queue) return;
    // Whoever never opens it does not pay for it.
    void import('./QueueList.tsx').then(({ CoverageQueue }) => setQueue(() => CoverageQueue));
  }, [isOpen, Queue]);
  return (
    <details
      ref={place}
      className="coverage-tips"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        {messages.tips.title}{' '}
        <span className="count">{counts && messages.tips.open(counts.new + counts.in_review)}</span>
      </summary>
      <p>
        <a href={`/desk/tips?coverage=${slug}`}>{messages.tips.all}</a>
      </p>
      {isOpen && Queue && <Queue desk={desk} />}
    </details>
  );
}

/** How many wait, for as long as the page is open: counted when the desk is reached, and whenever something happens to a tip. */
function useCounts({ backend, $connection }: Desk, coverage: string): TipCounts | undefined {
  const [counts, setCounts] = useState<TipCounts>();
  const isReached = useShared($connection)?.state === 'current';
  useEffect(() => {
    if (!isReached) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const count = () => {
      timer = undefined;
      // What was known stays: the desk says elsewhere that there is no line.
      backend
        .read((client) => readTipCounts(client, coverage))
        .then(
          (now) => !isOver && setCounts(now),
          () => {},
        );
    };
    const soon = () => {
      timer ??= setTimeout(count, TOGETHER_MS);
    };
    const line = backend.join((client, person) =>
      openTipsLine(client, person, {
        joined: count,
        lost: soon,
        closed: () => {},
        present: () => {},
        tip: soon,
      }),
    );
    count();
    return () => {
      isOver = true;
      clearTimeout(timer);
      line.leave();
    };
  }, [backend, coverage, isReached]);
  return counts;
}
