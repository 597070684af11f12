import { atom } from 'nanostores';
import { useEffect, useRef, useState } from 'react';
import { deskClock } from '../lib/data/scheduling.ts';
import type { WordPressDrafts } from '../lib/data/wordpress.ts';
import { splitQuery } from '../lib/domain/search.ts';
import type { DeskUpdate } from '../lib/domain/updates.ts';
import type { DeskContext } from './desk/context.ts';
import { useDesk } from './desk/hooks.ts';
import { deskIsland, useMessages } from './desk/messages.tsx';
import { ConnectionNote } from './desk/notes.tsx';
import { useSearchHighlights } from './editor/BodyField.tsx';
import { useIsElsewhere, useMemoizedElements, useStableProps } from './editor/open-editors.tsx';
import { OutboxList } from './outbox/OutboxList.tsx';
import { useShared } from './shared/use-shared.ts';
import { ListFilters, ListSearch } from './update-list/ListFilters.tsx';
import { useFocusRestoration, useListActivity, useListKeys } from './update-list/list-hooks.ts';
import { rowContextOf, UpdateRow } from './update-list/UpdateRow.tsx';

type ListProps = DeskContext & {
  updates: DeskUpdate[];
  /** Drafts at WordPress. Null for people who may not make any. */
  drafts: WordPressDrafts | null;
};

function List({ updates, drafts, ...deskContext }: ListProps) {
  const messages = useMessages();
  const desk = useDesk(deskContext);
  const [served] = useState(() => {
    desk.updates.setServed(updates);
    return { rows: updates, waiting: 0 };
  });
  const [$drafts] = useState(() => atom(drafts));
  useEffect(() => desk.watch(), [desk]);
  const { rows, waiting } = useShared(desk.updates.list.$list, served);
  const { filter, words: query, most } = useShared(desk.updates.$window);
  const coverage = useShared(desk.$coverage);
  const open = useShared(desk.view.$open);
  const hasMore = useShared(desk.updates.$rows, served.rows).length >= most;
  const context = useStableProps(rowContextOf(coverage, splitQuery(query)));
  const rowOf = useMemoizedElements(UpdateRow);
  const list = useRef<HTMLOListElement>(null);
  useFocusRestoration(list, desk.updates.list.$list);
  useListActivity(list, desk.updates.list);
  useSearchHighlights(list, context.query);
  useListKeys(desk.updates, list);
  const isElsewhere = useIsElsewhere(desk);
  return (
    <section className="desk-list" aria-labelledby="list-title">
      <header>
        <h2 id="list-title">{messages.desk.list.title}</h2>
        <ConnectionNote
          $connection={desk.sync.$connection}
          $announcement={desk.view.$announcement}
          clock={deskClock(messages, coverage)}
          slug={coverage.slug}
        />
        <ListSearch
          search={desk.updates.search}
          refresh={desk.sync.refresh}
          count={rows.length}
          isComplete={!hasMore}
        />
        <ListFilters updates={desk.updates} filter={filter} />
      </header>
      <OutboxList desk={desk} />
      <p className="news-above" role="status">
        {waiting > 0 && (
          <button type="button" onClick={desk.updates.list.showAll}>
            {messages.deskList.waiting(waiting)}
          </button>
        )}
      </p>
      {rows.length === 0 && query.trim() === '' && (
        <p className="help">
          {filter === 'work' ? messages.desk.list.none : messages.desk.list.noneForFilter}
        </p>
      )}
      <ol ref={list}>
        {rows
          .filter((update) => update.id === open?.id || !isElsewhere(update))
          .map((update) =>
            rowOf(update.id, {
              desk,
              update,
              context,
              isPinned: coverage.pinned_update === update.id,
              $drafts,
              panel: open?.id === update.id ? open.panel : null,
            }),
          )}
      </ol>
      {hasMore && (
        <button type="button" onClick={desk.updates.showOlder}>
          {messages.desk.list.older}
        </button>
      )}
    </section>
  );
}

/** List of updates in all states with the actions on each. It starts with the list that the server rendered. */
export const UpdateList = deskIsland(List);
