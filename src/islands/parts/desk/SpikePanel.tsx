import { useStore } from '@nanostores/react';
import { useState } from 'react';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import { desk as words } from '../../../lib/text/desk.ts';
import type { Desk } from '../../stores/desk.ts';
import { makeTask } from '../../stores/task.ts';
import { Panel } from './Panel.tsx';
import { PanelEnd } from './PanelEnd.tsx';

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
      <PanelEnd
        state={state}
        slug={desk.$coverage.get().slug}
        confirm={words.spike.confirm}
        onConfirm={spike}
        onClose={onClose}
      />
    </Panel>
  );
}
