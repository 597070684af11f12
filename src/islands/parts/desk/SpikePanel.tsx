import { useStore } from '@nanostores/react';
import { useState } from 'react';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import { desk as words } from '../../../lib/text/desk.ts';
import type { Desk } from '../../stores/desk.ts';
import { makeTask } from '../../stores/task.ts';
import { Panel } from './Panel.tsx';
import { TaskNote } from './TaskNote.tsx';

type Props = { desk: Desk; update: DeskUpdate; onClose: () => void };

/** Puts away an update that was never published, after asking. */
export function SpikePanel({ desk, update, onClose }: Props) {
  const [task] = useState(makeTask);
  const state = useStore(task.$state);
  const spike = async () => {
    const { id, version } = update;
    if (!(await task.run(() => desk.press('spike_update', { update_id: id, version })))) return;
    desk.$said.set(words.spike.done);
    await desk.refresh();
    onClose();
  };
  return (
    <Panel>
      <p>{words.spike.sure}</p>
      <TaskNote state={state} slug={desk.$coverage.get().slug} />
      <div className="actions">
        <button type="button" className="main" onClick={spike}>
          {words.spike.confirm}
        </button>
        <button type="button" className="quiet" onClick={onClose}>
          {words.close}
        </button>
      </div>
    </Panel>
  );
}
