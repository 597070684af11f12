import { type ComponentType, useEffect, useRef, useState } from 'react';
import { readTipCounts, type TipCounts } from '../../lib/data/tip-queue.ts';
import { useMessages } from '../desk/messages.tsx';
import { useShared } from '../shared/use-shared.ts';
import type { TipsDesk } from './QueueList.tsx';
import { joinTipsChannel } from './refetch.ts';

/** Delay that combines several changes into one count, in milliseconds. */
const COALESCE_MS = 1000;

/** Collapsed list of tips about the coverage with the number of open ones. */
export function CoverageTips({ desk }: { desk: TipsDesk }) {
  const messages = useMessages();
  const { id, slug } = useShared(desk.$coverage);
  const counts = useCounts(desk, id);
  const [Queue, setQueue] = useState<ComponentType<{ desk: TipsDesk }>>();
  const [isOpen, setOpen] = useState(false);
  const element = useRef<HTMLDetailsElement>(null);
  // The list may have been opened before the script started.
  useEffect(() => setOpen(element.current?.open ?? false), []);
  useEffect(() => {
    if (!isOpen || Queue) return;
    // The list's script is loaded when it is first opened.
    void import('./QueueList.tsx').then(({ CoverageQueue }) => setQueue(() => CoverageQueue));
  }, [isOpen, Queue]);
  return (
    <details
      ref={element}
      className="coverage-tips"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        {messages.deskList.tips.title}{' '}
        <span className="count">{counts && messages.deskList.tips.open(counts.new + counts.in_review)}</span>
      </summary>
      <p>
        <a href={`/desk/tips?coverage=${slug}`}>{messages.deskList.tips.all}</a>
      </p>
      {isOpen && Queue && <Queue desk={desk} />}
    </details>
  );
}

/** Counts open tips when the desk is reached and whenever a tip changes. */
function useCounts({ backend, sync }: TipsDesk, coverage: string): TipCounts | undefined {
  const [counts, setCounts] = useState<TipCounts>();
  const isReached = useShared(sync.$connection)?.state === 'current';
  useEffect(() => {
    if (!isReached) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isCancelled = false;
    const count = () => {
      timer = undefined;
      // The last count stays; the desk shows elsewhere that it is offline.
      backend
        .read((client) => readTipCounts(client, coverage))
        .then(
          (now) => !isCancelled && setCounts(now),
          () => {},
        );
    };
    const countSoon = () => {
      timer ??= setTimeout(count, COALESCE_MS);
    };
    const channel = backend.join((client, person) =>
      joinTipsChannel(client, person, {
        joined: count,
        lost: countSoon,
        closed: () => {},
        present: () => {},
        tip: countSoon,
      }),
    );
    count();
    return () => {
      isCancelled = true;
      clearTimeout(timer);
      channel.leave();
    };
  }, [backend, coverage, isReached]);
  return counts;
}
