import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { FrozenList } from '../../lib/data/desk-updates.ts';
import { deskClock } from '../../lib/data/scheduling.ts';
import {
  countOf,
  MAX_COUNT,
  type QueueTip,
  type QueueWindow,
  type TipCounts,
  windowPath,
} from '../../lib/data/tip-queue.ts';
import { splitQuery } from '../../lib/domain/search.ts';
import { QUEUE_VIEWS, type QueueView } from '../../lib/domain/tips.ts';
import { formatNumber } from '../../lib/i18n/plural.ts';
import type { Desk } from '../desk/desk.ts';
import { KeyboardShortcuts } from '../desk/KeyboardShortcuts.tsx';
import { type DeskMessages, useMessages } from '../desk/messages.tsx';
import { ConnectionNote, PresenceNote } from '../desk/notes.tsx';
import { useSearchHighlights } from '../editor/BodyField.tsx';
import { useMemoizedElements } from '../editor/open-editors.tsx';
import { useShared } from '../shared/use-shared.ts';
import { ListSearch } from '../update-list/ListFilters.tsx';
import { useFocusRestoration, useListActivity } from '../update-list/list-hooks.ts';
import { useQueueKeys } from './hooks.ts';
import { DoneBar } from './panels.tsx';
import { TipRow } from './TipRow.tsx';
import { makeTipQueue, POLL_MS, type TipQueueStore } from './tip-queue.ts';

type QueueListProps = {
  queue: TipQueueStore;
  /** Tips that the server rendered; the same object at every rendering. */
  served: FrozenList<QueueTip>;
  timeZone: string;
  /** Slug of the coverage that the tips are about, if it is limited to one. */
  coverage: string | null;
  /** Content above the list. */
  children?: ReactNode;
  isAlone: boolean;
};

/** Tips, newest first, with their actions. */
export function QueueList({ queue, served, timeZone, coverage, children, isAlone }: QueueListProps) {
  const messages = useMessages();
  const { rows, waiting } = useShared(queue.list.$list, served);
  const window = useShared(queue.$window);
  const open = useShared(queue.$open);
  const count = useShared(queue.$tips, served.rows).length;
  const rowOf = useMemoizedElements(TipRow);
  const list = useRef<HTMLOListElement>(null);
  useFocusRestoration(list, queue.list.$list);
  useListActivity(list, queue.list);
  useSearchHighlights(list, splitQuery(window.query).join(' '));
  useQueueKeys(queue, list, { search: SEARCH_FIELD_ID, isAlone });
  const last = rows.at(-1);
  return (
    <section className="tip-queue" tabIndex={-1} aria-labelledby="tips-list">
      <h2 id="tips-list" className="visually-hidden">
        {messages.tipQueue.views[window.view]}
      </h2>
      {children}
      <p className="news-above" role="status">
        {waiting > 0 && (
          <button type="button" onClick={queue.list.showAll}>
            {messages.tipQueue.waiting(waiting)}
          </button>
        )}
      </p>
      {rows.length === 0 && <p className="help">{emptyMessage(messages, window)}</p>}
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
            {messages.tipQueue.older}
          </a>
        </p>
      )}
      <DoneBar queue={queue} />
    </section>
  );
}

/** Id of the search field. */
const SEARCH_FIELD_ID = 'tip-search';

function emptyMessage(messages: DeskMessages, { view, query, only }: QueueWindow): string {
  if (only) return messages.tipQueue.onlyGone;
  return query.trim() === '' ? messages.tipQueue.none[view] : messages.deskList.resultCount(0, true);
}

type QueueHeadProps = {
  queue: TipQueueStore;
  /** What the server rendered. */
  served: { window: QueueWindow; counts: TipCounts; shown: number };
  timeZone: string;
  /** The coverage that the tips are about, if it is limited to one. */
  about: { slug: string; headline: string } | null;
};

/** Views, search, presence and freshness of the queue. */
export function QueueHead({ queue, served, timeZone, about }: QueueHeadProps) {
  const messages = useMessages();
  const window = useShared(queue.$window);
  const tips = useShared(queue.$tips);
  const hasBegun = useShared(queue.$counts) !== null;
  const shown = hasBegun ? tips.length : served.shown;
  return (
    <header className="tip-head">
      <KeyboardShortcuts isPlain>
        <PresenceNote presence={queue.presence} $channelState={queue.$channelState} />
      </KeyboardShortcuts>
      <QueueConnection queue={queue} timeZone={timeZone} />
      <p className="refused no-script">{messages.tipQueue.connection.noScript}</p>
      {about && (
        <p className="status">
          {messages.tipQueue.about(about.headline)} <a href={windowPath(window)}>{messages.tipQueue.all}</a>
        </p>
      )}
      <Views queue={queue} window={window} counts={served.counts} coverage={about?.slug ?? null} />
      <ListSearch
        search={queue.search}
        refresh={queue.refresh}
        initialQuery={served.window.query}
        count={shown}
        isComplete={shown < window.most}
        help={messages.tipQueue.searchHelp}
        id={SEARCH_FIELD_ID}
      >
        {window.view !== 'open' && <input type="hidden" name="view" value={window.view} />}
        {about && <input type="hidden" name="coverage" value={about.slug} />}
        <button type="submit" className="no-script">
          {messages.tipQueue.find}
        </button>
      </ListSearch>
      {window.only && (
        <p className="status">
          {messages.tipQueue.only}{' '}
          <button type="button" onClick={() => queue.setView('open')}>
            {messages.tipQueue.queue}
          </button>
        </p>
      )}
    </header>
  );
}

/** Whether changes arrive by channel or by polling, and the time of the last fetch. */
function QueueConnection({ queue, timeZone }: Pick<QueueHeadProps, 'queue' | 'timeZone'>) {
  const messages = useMessages();
  const channelState = useShared(queue.$channelState);
  const current = (time: string) => {
    if (channelState === 'opening') return messages.desk.connection.current(time);
    return channelState === 'joined'
      ? messages.tipQueue.connection.hears(time)
      : messages.tipQueue.connection.pollInterval(POLL_MS / 1000, time);
  };
  return (
    <ConnectionNote
      $connection={queue.$connection}
      $announcement={queue.$announcement}
      clock={deskClock(messages, { time_zone: timeZone })}
      slug={queue.deskPath}
      current={current}
      isAnnouncedOnly={true}
    />
  );
}

type ViewsProps = { queue: TipQueueStore; window: QueueWindow; counts: TipCounts; coverage: string | null };

/** Views of the queue with their counts, as links for pages without script. */
function Views({ queue, window, counts: servedCounts, coverage }: ViewsProps) {
  const messages = useMessages();
  const counts = useShared(queue.$counts) ?? servedCounts;
  const showView = (event: MouseEvent, view: QueueView) => {
    // Modifier keys open the link elsewhere.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    queue.setView(view);
  };
  return (
    <nav className="tip-views" aria-label={messages.tipQueue.show}>
      {QUEUE_VIEWS.map((view) => (
        <a
          key={view}
          href={windowPath({ view, query: window.query }, { coverage })}
          aria-current={view === window.view && !window.only ? 'true' : undefined}
          ref={view === window.view ? showInRow : undefined}
          onClick={(event) => showView(event, view)}
        >
          {messages.tipQueue.views[view]}{' '}
          <span className="count">{countText(messages, countOf(view, counts))}</span>
        </a>
      ))}
    </nav>
  );
}

/** Scrolls the row of views of a narrow screen until the link is visible. */
function showInRow(link: HTMLElement | null): void {
  const row = link?.parentElement;
  if (!link || !row) return;
  const [inner, outer] = [link.getBoundingClientRect(), row.getBoundingClientRect()];
  row.scrollLeft += Math.max(0, inner.right - outer.right) + Math.min(0, inner.left - outer.left);
}

const countText = (messages: DeskMessages, count: number | null) =>
  count ? `${formatNumber(count, messages.language)}${count >= MAX_COUNT ? '+' : ''}` : '';

const EMPTY_LIST: FrozenList<QueueTip> = { rows: [], waiting: 0 };

/** Parts of the desk that the tips of its coverage need. */
export type TipsDesk = Pick<Desk, 'person' | '$coverage' | 'sync' | 'backend'>;

/** Open tips about a coverage on its desk, over the desk's connection. */
export function CoverageQueue({ desk }: { desk: TipsDesk }) {
  const messages = useMessages();
  const { id, slug, time_zone } = useShared(desk.$coverage);
  const [queue] = useState(() =>
    makeTipQueue(messages, desk.person, { coverage: id, deskPath: slug }, desk.backend),
  );
  useEffect(() => queue.watch(), [queue]);
  const isKnown = useShared(queue.$connection) !== null;
  return (
    <>
      <QueueConnection queue={queue} timeZone={time_zone} />
      {isKnown && (
        <QueueList queue={queue} served={EMPTY_LIST} timeZone={time_zone} coverage={slug} isAlone={false} />
      )}
    </>
  );
}
