import { useEffect, useState } from 'react';
import { excerpt } from '../../../lib/body/text.ts';
import { mayRun } from '../../../lib/desk/rights.ts';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import { directionOf } from '../../../lib/text/direction.ts';
import { running as messages } from '../../../lib/text/running.ts';
import { runAction } from '../../stores/acts.ts';
import type { Desk } from '../../stores/desk.ts';
import { makeTask } from '../../stores/task.ts';
import { TaskNote } from './TaskNote.tsx';
import { useShared } from './useShared.ts';

/** Characters of the first words, to tell an update by. */
const TITLE_LENGTH = 80;

/** Which update stands at the top of the readers' page, and the way to take it down. */
export function PinnedUpdate({ desk }: { desk: Desk }) {
  const { pinned_update: id, language, slug } = useShared(desk.$coverage);
  const listed = useShared(desk.$updates).find((update) => update.id === id);
  const [candidate, setCandidate] = useState<DeskUpdate>();
  const [task] = useState(makeTask);
  const progress = useShared(task.$state);
  useEffect(() => {
    // It may be older than all that the list shows. Without a line it is told by its number when there is one.
    if (id && !listed) desk.look(id).then(setCandidate, () => setCandidate(undefined));
  }, [id, listed, desk]);
  const update = listed ?? (candidate?.id === id ? candidate : undefined);
  if (!update) return null;

  const unpin = () =>
    task.run(async () => {
      await runAction(desk, update, { kind: 'unpin' }, messages.unpinned);
      await desk.refresh();
      // The button went with what was pinned.
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) document.querySelector<HTMLElement>('.moves')?.focus();
      });
    });
  return (
    <div className="pinned-now">
      <p>
        <b>{messages.pinned}</b>{' '}
        <q lang={language} dir={directionOf(language)}>
          {update.headline ?? excerpt(update.body, TITLE_LENGTH, update.photos)}
        </q>{' '}
        {update.number !== null && <small>{messages.pinnedNumber(update.number)}</small>}
      </p>
      {mayRun(desk.person) && (
        <button type="button" className="quiet" onClick={unpin}>
          {messages.unpin}
        </button>
      )}
      <TaskNote state={progress} slug={slug} />
    </div>
  );
}
