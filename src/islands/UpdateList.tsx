import { useEffect, useRef, useState } from 'react';
import { deskClock } from '../lib/desk/clock.ts';
import { soughtWords } from '../lib/desk/found.ts';
import type { DeskUpdate } from '../lib/desk/update.ts';
import { desk as messages } from '../lib/text/desk.ts';
import { deskList } from '../lib/text/desk-list.ts';
import { ConnectionNote } from './parts/desk/ConnectionNote.tsx';
import { ListFilters } from './parts/desk/ListFilters.tsx';
import { ListSearch } from './parts/desk/ListSearch.tsx';
import { OutboxList } from './parts/desk/Outgoing.tsx';
import { useMemoizedElements, useStableProps } from './parts/desk/remembered.tsx';
import { rowContextOf, UpdateRow } from './parts/desk/UpdateRow.tsx';
import { useDesk } from './parts/desk/useDesk.ts';
import { useIsElsewhere } from './parts/desk/useElsewhere.ts';
import { useListKeys } from './parts/desk/useListKeys.ts';
import { useListActivity } from './parts/desk/useListUse.ts';
import { useSearchHighlights } from './parts/desk/useMarks.ts';
import { useFocusRestoration } from './parts/desk/usePlace.ts';
import { useShared } from './parts/desk/useShared.ts';
import type { DeskContext } from './stores/desk.ts';

/** Updates of every state as they are now, with what this person may do to each. Begins with the page's own list. */
export function UpdateList({ updates, ...deskContext }: DeskContext & { updates: DeskUpdate[] }) {
  const desk = useDesk(deskContext);
  const [served] = useState(() => {
    desk.begin(updates);
    return { rows: updates, waiting: 0 };
  });
  useEffect(() => desk.watch(), [desk]);
  const { rows, waiting } = useShared(desk.list.$list, served);
  const { filter, words: query, most } = useShared(desk.$window);
  const coverage = useShared(desk.$coverage);
  const open = useShared(desk.$open);
  const hasMore = useShared(desk.$updates, served.rows).length >= most;
  const context = useStableProps(rowContextOf(coverage, soughtWords(query)));
  const rowOf = useMemoizedElements(UpdateRow);
  const list = useRef<HTMLOListElement>(null);
  useFocusRestoration(list, desk.list.$list);
  useListActivity(list, desk.list);
  useSearchHighlights(list, context.query);
  useListKeys(desk, list);
  const isElsewhere = useIsElsewhere(desk);
  return (
    <section className="desk-list" aria-labelledby="list-title">
      <header>
        <h2 id="list-title">{messages.list.title}</h2>
        <ConnectionNote desk={desk} clock={deskClock(coverage)} slug={coverage.slug} />
        <ListSearch desk={desk} count={rows.length} isComplete={!hasMore} />
        <ListFilters desk={desk} filter={filter} />
      </header>
      <OutboxList desk={desk} />
      <p className="news-above" role="status">
        {waiting > 0 && (
          <button type="button" onClick={desk.list.letGo}>
            {deskList.waiting(waiting)}
          </button>
        )}
      </p>
      {rows.length === 0 && query.trim() === '' && <p className="help">{messages.list.none}</p>}
      <ol ref={list}>
        {rows
          .filter((update) => !isElsewhere(update))
          .map((update) =>
            rowOf(update.id, {
              desk,
              update,
              context,
              isPinned: coverage.pinned_update === update.id,
              panel: open?.id === update.id ? open.panel : null,
            }),
          )}
      </ol>
      {hasMore && (
        <button type="button" onClick={desk.showOlder}>
          {messages.list.older}
        </button>
      )}
    </section>
  );
}
