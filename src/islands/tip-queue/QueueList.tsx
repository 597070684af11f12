import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { HeldList } from '../../lib/data/desk-list.ts';
import { deskClock } from '../../lib/data/scheduling.ts';
import {
  COUNTED,
  countOf,
  type QueueTip,
  type QueueWindow,
  type TipCounts,
  windowPath,
} from '../../lib/data/tip-queue.ts';
import { soughtWords } from '../../lib/domain/search-highlight.ts';
import type { QueueView } from '../../lib/domain/tips.ts';
import { QUEUE_VIEWS } from '../../lib/domain/tips.ts';
import { desk } from '../../lib/i18n/desk.ts';
import { deskList } from '../../lib/i18n/desk-list.ts';
import { written } from '../../lib/i18n/plural.ts';
import { tipQueue as messages } from '../../lib/i18n/tip-queue.ts';
import type { Desk } from '../desk/desk.ts';
import { useShared } from '../desk/hooks.ts';
import { KeysPanel } from '../desk/KeyboardShortcuts.tsx';
import { ConnectionNote, WhoIsHere } from '../desk/notes.tsx';
import { useSearchHighlights } from '../editor/BodyField.tsx';
import { useMemoizedElements } from '../editor/open-editors.tsx';
import { ListSearch } from '../update-list/ListFilters.tsx';
import { useFocusRestoration, useListActivity } from '../update-list/list-hooks.ts';
import { useQueueKeys } from './hooks.ts';
import { DoneBar } from './panels.tsx';
import { TipRow } from './TipRow.tsx';
import { LOOK_MS, makeTipQueue, type TipQueue } from './tip-queue.ts';

type QueueListProps = {
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
export function QueueList({ queue, served, timeZone, coverage, children, isAlone }: QueueListProps) {
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

type QueueHeadProps = {
  queue: TipQueue;
  /** What the page was made with. */
  served: { window: QueueWindow; counts: TipCounts; shown: number };
  timeZone: string;
  /** The coverage that they are about, where it is one. */
  about: { slug: string; headline: string } | null;
};

/** What of the queue is looked at, what is sought in it, who else is there, and how fresh it is. */
export function QueueHead({ queue, served, timeZone, about }: QueueHeadProps) {
  const window = useShared(queue.$window);
  const tips = useShared(queue.$tips);
  const hasBegun = useShared(queue.$counts) !== null;
  const shown = hasBegun ? tips.length : served.shown;
  return (
    <header className="tip-head">
      <KeysPanel isPlain>
        <WhoIsHere desk={queue} />
      </KeysPanel>
      <QueueConnection queue={queue} timeZone={timeZone} />
      <p className="refused no-script">{messages.connection.noScript}</p>
      {about && (
        <p className="status">
          {messages.about(about.headline)} <a href={windowPath(window)}>{messages.all}</a>
        </p>
      )}
      <Views queue={queue} window={window} counts={served.counts} coverage={about?.slug ?? null} />
      <ListSearch
        desk={queue}
        initialQuery={served.window.query}
        count={shown}
        isComplete={shown < window.most}
        help={messages.searchHelp}
        id={SEARCH}
      >
        {window.view !== 'open' && <input type="hidden" name="view" value={window.view} />}
        {about && <input type="hidden" name="coverage" value={about.slug} />}
        <button type="submit" className="no-script">
          {messages.find}
        </button>
      </ListSearch>
      {window.only && (
        <p className="status">
          {messages.only}{' '}
          <button type="button" onClick={() => queue.show('open')}>
            {messages.queue}
          </button>
        </p>
      )}
    </header>
  );
}

/** Whether tips are heard of as they come, or looked for; and when that was last so. */
export function QueueConnection({ queue, timeZone }: Pick<QueueHeadProps, 'queue' | 'timeZone'>) {
  const line = useShared(queue.$line);
  const current = (time: string) => {
    if (line === 'opening') return desk.connection.current(time);
    return line === 'joined'
      ? messages.connection.hears(time)
      : messages.connection.looks(LOOK_MS / 1000, time);
  };
  return (
    <ConnectionNote
      desk={queue}
      clock={deskClock({ time_zone: timeZone })}
      slug={queue.place}
      current={current}
      isSaidOnly={true}
    />
  );
}

type ViewsProps = { queue: TipQueue; window: QueueWindow; counts: TipCounts; coverage: string | null };

/** The parts of the queue, with how many are in each: links, for whoever has no script. */
function Views({ queue, window, counts: begun, coverage }: ViewsProps) {
  const counts = useShared(queue.$counts) ?? begun;
  const go = (event: MouseEvent, view: QueueView) => {
    // What is to open elsewhere opens there.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    queue.show(view);
  };
  return (
    <nav className="tip-views" aria-label={messages.show}>
      {QUEUE_VIEWS.map((view) => (
        <a
          key={view}
          href={windowPath({ view, query: window.query }, { coverage })}
          aria-current={view === window.view && !window.only ? 'true' : undefined}
          onClick={(event) => go(event, view)}
        >
          {messages.views[view]} <span className="count">{countSaid(countOf(view, counts))}</span>
        </a>
      ))}
    </nav>
  );
}

const countSaid = (count: number | null) => (count ? `${written(count)}${count >= COUNTED ? '+' : ''}` : '');

const NOTHING: HeldList<QueueTip> = { rows: [], waiting: 0 };

/** The open tips about a coverage, at its desk: the same rows as in the queue, over the desk's own line. */
export function CoverageQueue({ desk }: { desk: Desk }) {
  const { id, slug, time_zone } = useShared(desk.$coverage);
  const [queue] = useState(() => makeTipQueue(desk.person, { coverage: id, place: slug }, desk.backend));
  useEffect(() => queue.watch(), [queue]);
  const isKnown = useShared(queue.$connection) !== null;
  return (
    <>
      <QueueConnection queue={queue} timeZone={time_zone} />
      {isKnown && (
        <QueueList queue={queue} served={NOTHING} timeZone={time_zone} coverage={slug} isAlone={false} />
      )}
    </>
  );
}
