import { useState } from 'react';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import { desk as messages } from '../../../lib/text/desk.ts';
import { runAction } from '../../stores/acts.ts';
import type { Desk } from '../../stores/desk.ts';
import { makeTask } from '../../stores/task.ts';
import { nameOfUpdate } from './naming.ts';
import { Panel } from './Panel.tsx';
import { PanelEnd } from './PanelEnd.tsx';
import { useShared } from './useShared.ts';

type Props = { desk: Desk; update: DeskUpdate; onClose: () => void };

/** Spikes an unpublished update after a confirmation. */
export function SpikePanel({ desk, update, onClose }: Props) {
  const [task] = useState(makeTask);
  const state = useShared(task.$state);
  const spike = async () => {
    if (!(await task.run(() => runAction(desk, update, { kind: 'spike' }, messages.spike.done)))) return;
    await desk.refresh();
    onClose();
  };
  return (
    <Panel onClose={onClose}>
      <p>{messages.spike.sure}</p>
      <PanelEnd
        state={state}
        slug={desk.$coverage.get().slug}
        confirm={messages.spike.confirm}
        onConfirm={spike}
        onClose={onClose}
        about={nameOfUpdate(update)}
      />
    </Panel>
  );
}
