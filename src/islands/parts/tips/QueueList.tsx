import { type ReactNode, useRef } from 'react';
import { soughtWords } from '../../../lib/desk/found.ts';
import type { HeldList } from '../../../lib/desk/list.ts';
import { deskList } from '../../../lib/text/desk-list.ts';
import { tipQueue as messages } from '../../../lib/text/tip-queue.ts';
import { type QueueTip, type QueueWindow, windowPath } from '../../../lib/tips/queue.ts';
import type { TipQueue } from '../../stores/tip-queue.ts';
import { useMemoizedElements } from '../desk/remembered.tsx';
import { useListActivity } from '../desk/useListUse.ts';
import { useSearchHighlights } from '../desk/useMarks.ts';
import { useFocusRestoration } from '../desk/usePlace.ts';
import { useShared } from '../desk/useShared.ts';
import { DoneBar } from './DoneBar.tsx';
import { TipRow } from './TipRow.tsx';
import { useQueueKeys } from './useQueueKeys.ts';

type Props = {
  queue: TipQueue;
  /** What the page was made with; the same object at every rendering. */
  served: HeldList<QueueTip>;
  timeZone: string;
  /** The slug of the coverage that they are about, where it is one. */
  coverage: string | null;
  /** What stands above the list. */
  children?: ReactNode;
  isAlone: boolean;
};

/** Tips, the newest first, each with what may be done with it. */
export function QueueList({ queue, served, timeZone, coverage, children, isAlone }: Props) {
  const { rows, waiting } = useShared(queue.list.$list, served);
  const window = useShared(queue.$window);
  const open = useShared(queue.$open);
  const count = useShared(queue.$tips, served.rows).length;
  const rowOf = useMemoizedElements(TipRow);
  const list = useRef<HTMLOListElement>(null);
  useFocusRestoration(list, queue.list.$list);
  useListActivity(list, queue.list);
  useSearchHighlights(list, soughtWords(window.query).join(' '));
  useQueueKeys(queue, list, { search: SEARCH, isAlone });
  const last = rows.at(-1);
  return (
    <section className="tip-queue" tabIndex={-1} aria-labelledby="tips-list">
      <h2 id="tips-list" className="visually-hidden">
        {messages.views[window.view]}
      </h2>
      {children}
      <p className="news-above" role="status">
        {waiting > 0 && (
          <button type="button" onClick={queue.list.letGo}>
            {messages.waiting(waiting)}
          </button>
        )}
      </p>
      {rows.length === 0 && <p className="help">{noneSaid(window)}</p>}
      <ol ref={list}>
        {rows.map((tip) => rowOf(tip.id, { queue, tip, timeZone, open: open?.id === tip.id ? open : null }))}
      </ol>
      {!window.only && count >= window.most && last && (
        <p>
          <a
            className="button older"
            href={windowPath(window, { coverage, before: last })}
            onClick={(event) => {
              event.preventDefault();
              queue.showOlder();
            }}
          >
            {messages.older}
          </a>
        </p>
      )}
      <DoneBar queue={queue} />
    </section>
  );
}

/** The field in which one searches. */
export const SEARCH = 'tip-search';

function noneSaid({ view, query, only }: QueueWindow): string {
  if (only) return messages.onlyGone;
  return query.trim() === '' ? messages.none[view] : deskList.found(0, true);
}
