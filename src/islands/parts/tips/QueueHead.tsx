import type { MouseEvent } from 'react';
import { deskClock } from '../../../lib/desk/clock.ts';
import { desk } from '../../../lib/text/desk.ts';
import { written } from '../../../lib/text/plural.ts';
import { tipQueue as messages } from '../../../lib/text/tip-queue.ts';
import type { TipCounts } from '../../../lib/tips/counts.ts';
import {
  COUNTED,
  countOf,
  QUEUE_VIEWS,
  type QueueView,
  type QueueWindow,
  windowPath,
} from '../../../lib/tips/queue.ts';
import { LOOK_MS, type TipQueue } from '../../stores/tip-queue.ts';
import { ConnectionNote } from '../desk/ConnectionNote.tsx';
import { KeysPanel } from '../desk/KeysPanel.tsx';
import { ListSearch } from '../desk/ListSearch.tsx';
import { useShared } from '../desk/useShared.ts';
import { WhoIsHere } from '../desk/WhoIsHere.tsx';
import { SEARCH } from './QueueList.tsx';

type Props = {
  queue: TipQueue;
  /** What the page was made with. */
  served: { window: QueueWindow; counts: TipCounts; shown: number };
  timeZone: string;
  /** The coverage that they are about, where it is one. */
  about: { slug: string; headline: string } | null;
};

/** What of the queue is looked at, what is sought in it, who else is there, and how fresh it is. */
export function QueueHead({ queue, served, timeZone, about }: Props) {
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
export function QueueConnection({ queue, timeZone }: Pick<Props, 'queue' | 'timeZone'>) {
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
