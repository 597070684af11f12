import { useStore } from '@nanostores/react';
import { useRef, useState } from 'react';
import { excerpt } from '../../../lib/body/text.ts';
import { takesUpdates } from '../../../lib/desk/coverage.ts';
import { actionsOn, type UpdateAction } from '../../../lib/desk/rights.ts';
import { contentOf, type DeskUpdate } from '../../../lib/desk/update.ts';
import { desk as words } from '../../../lib/text/desk.ts';
import type { Desk } from '../../stores/desk.ts';
import { makeTask } from '../../stores/task.ts';
import { TaskNote } from './TaskNote.tsx';

/** What this person may do to an update: some at once, some in a panel in its place. */
export function RowActions({ desk, update }: { desk: Desk; update: DeskUpdate }) {
  const coverage = useStore(desk.$coverage);
  const place = useRef<HTMLDivElement>(null);
  const [task] = useState(makeTask);
  const state = useStore(task.$state);
  const actions = actionsOn(update, desk.person, coverage.pinned_update);
  if (actions.length === 0) return null;

  const act = async (action: UpdateAction) => {
    if (action === 'edit' || action === 'spike' || action === 'withdraw') {
      desk.$open.set({ id: update.id, panel: action });
      return;
    }
    if (!(await task.run(() => doNow(desk, action, update)))) return;
    desk.$said.set(words.done[action]);
    await desk.refresh();
    // With the button that was pressed the focus is gone too: it stays at the row.
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) place.current?.closest('li')?.focus();
    });
  };
  const about = update.headline ?? (excerpt(update.body, 40) || words.updateStates[update.state]);
  return (
    <>
      <div className="row-actions" ref={place}>
        {actions.map((action) => (
          <button
            key={action}
            type="button"
            aria-label={words.about(labelOf(action, update), about)}
            disabled={action === 'publish' && !takesUpdates(coverage.state)}
            onClick={() => act(action)}
          >
            {labelOf(action, update)}
          </button>
        ))}
      </div>
      <TaskNote state={state} slug={coverage.slug} />
    </>
  );
}

type DoneAtOnce = Extract<UpdateAction, 'submit' | 'publish' | 'unschedule' | 'pin' | 'unpin'>;

const labelOf = (action: UpdateAction, { state }: DeskUpdate) =>
  action === 'publish' && state === 'scheduled' ? words.schedule.publishNow : words.actions[action];

function doNow(desk: Desk, action: DoneAtOnce, update: DeskUpdate): Promise<unknown> {
  const { id: update_id, coverage_id, version } = update;
  switch (action) {
    case 'submit':
      return desk.press('submit_update', { update_id, version });
    case 'publish':
      return desk.press('publish_update', { coverage_id, update_id, version, content: contentOf(update) });
    case 'unschedule':
      return desk.press('unschedule_update', { update_id, version });
    case 'pin':
      return desk.press('pin_update', { coverage_id, update_id });
    case 'unpin':
      return desk.press('pin_update', { coverage_id });
  }
}
