import { useState } from 'react';
import { tipQueue as messages } from '../../../lib/text/tip-queue.ts';
import { makeTask } from '../../stores/task.ts';
import { doToTip } from '../../stores/tip-acts.ts';
import { Panel } from '../desk/Panel.tsx';
import { PanelEnd } from '../desk/PanelEnd.tsx';
import type { TipPanelProps } from './HandOverPanel.tsx';
import { nameOfTip } from './naming.ts';
import { useLate } from './useLate.ts';

/** Takes back the update that was made of a tip, after asking: it was never published. */
export function ReopenPanel({ queue, tip, onClose }: TipPanelProps) {
  const [task] = useState(makeTask);
  const state = useLate(task);
  const reopen = async () => {
    if (await task.run(() => doToTip(queue, tip, { act: 'reopen' }))) onClose();
  };
  return (
    <Panel onClose={onClose}>
      <p>{messages.reopen.sure}</p>
      <PanelEnd
        state={state}
        slug={queue.place}
        confirm={messages.reopen.confirm}
        onConfirm={reopen}
        onClose={onClose}
        about={nameOfTip(tip)}
      />
    </Panel>
  );
}
