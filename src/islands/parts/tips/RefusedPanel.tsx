import { useMemo } from 'react';
import type { Refusal } from '../../../lib/http/errors.ts';
import type { TaskState } from '../../stores/task.ts';
import { CloseButton } from '../desk/CloseButton.tsx';
import { Panel } from '../desk/Panel.tsx';
import type { TipPanelProps } from './HandOverPanel.tsx';
import { nameOfTip } from './naming.ts';
import { Quicker } from './Quicker.tsx';

/** Somebody was quicker: who has the tip now, and the way to take it over. The row stays until that was read. */
export function RefusedPanel({ queue, tip, refusal, onClose }: TipPanelProps & { refusal: Refusal }) {
  const state = useMemo<TaskState>(() => ({ step: 'refused', refusal }), [refusal]);
  return (
    <Panel onClose={onClose}>
      <Quicker queue={queue} tip={tip} state={state} onTaken={onClose} />
      <div className="actions">
        <CloseButton about={nameOfTip(tip)} onClose={onClose} />
      </div>
    </Panel>
  );
}
