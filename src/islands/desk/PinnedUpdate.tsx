import { useEffect, useState } from 'react';
import { excerpt } from '../../lib/domain/body/blocks.ts';
import { mayRun } from '../../lib/domain/permissions.ts';
import type { DeskUpdate } from '../../lib/domain/updates.ts';
import { directionOf } from '../../lib/i18n/language.ts';
import { useShared } from '../shared/use-shared.ts';
import { runAction } from '../update-list/actions.ts';
import { TaskNote } from './controls.tsx';
import type { Desk } from './desk.ts';
import { useMessages } from './messages.tsx';
import { makeTask } from './task.ts';

/** Length of the update's label in characters. */
const TITLE_LENGTH = 80;

type PinDesk = Pick<Desk, 'person' | '$coverage' | 'updates' | 'sync' | 'outbox' | 'view'>;

/** The pinned update and the button that unpins it. */
export function PinnedUpdate({ desk }: { desk: PinDesk }) {
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
      // The button disappears with the pinned update, so the focus moves to the coverage's actions.
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) document.querySelector<HTMLElement>('.moves')?.focus();
      });
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
