import { type ComponentType, useEffect, useRef, useState } from 'react';
import { readTipCounts, type TipCounts } from '../lib/data/tip-queue.ts';
import { excerpt } from '../lib/domain/body/blocks.ts';
import { may, mayRun } from '../lib/domain/permissions.ts';
import type { DeskUpdate } from '../lib/domain/updates.ts';
import { directionOf } from '../lib/i18n/language.ts';
import type { DeskContext } from './desk/context.ts';
import { TaskNote } from './desk/controls.tsx';
import type { Desk } from './desk/desk.ts';
import { useDesk } from './desk/hooks.ts';
import { deskIsland, useMessages } from './desk/messages.tsx';
import { focusCoverageMenu, PresenceNote, QuietNote } from './desk/notes.tsx';
import { SummaryEditor } from './desk/SummaryEditor.tsx';
import { makeTask } from './desk/task.ts';
import { useShared } from './shared/use-shared.ts';
import type { TipsDesk } from './tip-queue/QueueList.tsx';
import { joinTipsChannel } from './tip-queue/refetch.ts';
import { runAction } from './update-list/actions.ts';

/** Length of the update's label in characters. */
const TITLE_LENGTH = 80;

type PinDesk = Pick<Desk, 'person' | '$coverage' | 'updates' | 'sync' | 'outbox' | 'view'>;

/** The pinned update and the button that unpins it. */
function PinnedUpdate({ desk }: { desk: PinDesk }) {
  const messages = useMessages();
  const { pinned_update: id, language, slug } = useShared(desk.$coverage);
  const listed = useShared(desk.updates.$rows).find((update) => update.id === id);
  const [candidate, setCandidate] = useState<DeskUpdate>();
  const [task] = useState(makeTask);
  const progress = useShared(task.$state);
  useEffect(() => {
    // The update may be older than the list. While offline it is shown only if it is listed.
    if (id && !listed) desk.updates.read(id).then(setCandidate, () => setCandidate(undefined));
  }, [id, listed, desk]);
  const update = listed ?? (candidate?.id === id ? candidate : undefined);
  if (!update) return null;

  const unpin = () =>
    task.run(async () => {
      await runAction(messages, desk, update, { kind: 'unpin' }, messages.running.unpinned);
      await desk.sync.refresh();
      focusCoverageMenu();
    });
  return (
    <div className="pinned-now">
      <p>
        <b>{messages.running.pinned}</b>{' '}
        <q lang={language} dir={directionOf(language)}>
          {update.headline ?? excerpt(update.body, TITLE_LENGTH, update.photos)}
        </q>{' '}
        {update.number !== null && <small>{messages.running.pinnedNumber(update.number)}</small>}
      </p>
      {mayRun(desk.person) && (
        <button type="button" className="quiet" onClick={unpin}>
          {messages.running.unpin}
        </button>
      )}
      <TaskNote state={progress} slug={slug} />
    </div>
  );
}

/** Delay that combines several changes into one count, in milliseconds. */
const COALESCE_MS = 1000;

/** Collapsed list of tips about the coverage with the number of open ones. */
function CoverageTips({ desk }: { desk: TipsDesk }) {
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
    void import('./tip-queue/QueueList.tsx').then(({ CoverageQueue }) => setQueue(() => CoverageQueue));
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

function Controls(context: DeskContext) {
  const messages = useMessages();
  const desk = useDesk(context);
  const isEditor = mayRun(desk.person);
  return (
    <section className="controls" aria-label={messages.desk.coverage.title}>
      {isEditor && <QuietNote desk={desk} />}
      <PresenceNote presence={desk.presence} $channelState={desk.sync.$channelState} />
      <PinnedUpdate desk={desk} />
      <SummaryEditor desk={desk} />
      {may(desk.person.role, 'handle_tips') && <CoverageTips desk={desk} />}
    </section>
  );
}

/** Presence, the pinned update, the summary and open tips. */
export const CoverageControls = deskIsland(Controls);
