import { useEffect, useState } from 'react';
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
import { CoverageTips } from './tip-queue/CoverageTips.tsx';
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
