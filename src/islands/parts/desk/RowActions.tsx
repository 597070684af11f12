import { useRef, useState } from 'react';
import { actionsOn, type UpdateAction } from '../../../lib/desk/rights.ts';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import { corrections } from '../../../lib/text/corrections.ts';
import { desk as messages } from '../../../lib/text/desk.ts';
import { runAction } from '../../stores/acts.ts';
import { makeTask } from '../../stores/task.ts';
import { nameOfUpdate } from './naming.ts';
import { TaskNote } from './TaskNote.tsx';
import type { RowProps } from './UpdateRow.tsx';
import { useShared } from './useShared.ts';

/** Actions that this person may run on an update, directly or in a panel. */
export function RowActions({ desk, update, context, isPinned }: RowProps) {
  const container = useRef<HTMLDivElement>(null);
  const [task] = useState(makeTask);
  const state = useShared(task.$state);
  const actions = actionsOn(update, desk.person, isPinned ? update.id : null);
  const hasHistory = update.version > 1;
  if (actions.length === 0 && !hasHistory) return null;

  const runRowAction = async (action: UpdateAction) => {
    if (action === 'edit' || action === 'spike' || action === 'withdraw') {
      desk.$open.set({ id: update.id, panel: action });
      return;
    }
    if (!(await task.run(() => runAction(desk, update, { kind: action }, messages.done[action])))) return;
    await desk.refresh();
    // Frozen rows would hide the result of one's own action.
    desk.list.letGo();
    // The pressed button may be gone. The focus moves to the row, or to the outbox where the command waits.
    requestAnimationFrame(() => {
      if (document.activeElement !== document.body) return;
      (container.current?.closest('li') ?? document.querySelector<HTMLElement>('.outgoing'))?.focus();
    });
  };
  const about = nameOfUpdate(update);
  return (
    <>
      <div className="row-actions" ref={container}>
        {actions.map((action) => (
          <button
            key={action}
            type="button"
            data-action={action}
            aria-label={messages.about(actionLabel(action, update), about)}
            disabled={action === 'publish' && !context.acceptsUpdates}
            onClick={() => runRowAction(action)}
          >
            {actionLabel(action, update)}
          </button>
        ))}
        {hasHistory && (
          <button
            type="button"
            aria-label={messages.about(corrections.desk.history, about)}
            onClick={() => desk.$open.set({ id: update.id, panel: 'history' })}
          >
            {corrections.desk.history}
          </button>
        )}
      </div>
      <TaskNote state={state} slug={context.slug} />
    </>
  );
}

const actionLabel = (action: UpdateAction, { state }: DeskUpdate) =>
  action === 'publish' && state === 'scheduled' ? messages.schedule.publishNow : messages.actions[action];
