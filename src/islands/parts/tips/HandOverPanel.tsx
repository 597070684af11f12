import { useCallback, useState } from 'react';
import { desk } from '../../../lib/text/desk.ts';
import { tipQueue as messages } from '../../../lib/text/tip-queue.ts';
import type { QueueTip, TipHandler } from '../../../lib/tips/queue.ts';
import { readHandlers } from '../../../lib/tips/queue-read.ts';
import { makeTask } from '../../stores/task.ts';
import { doToTip } from '../../stores/tip-acts.ts';
import type { TipQueue } from '../../stores/tip-queue.ts';
import { CloseButton } from '../desk/CloseButton.tsx';
import { Panel } from '../desk/Panel.tsx';
import { TaskNote } from '../desk/TaskNote.tsx';
import { useFresh } from '../desk/useFresh.ts';
import { nameOfTip } from './naming.ts';
import { Quicker } from './Quicker.tsx';
import { useLate } from './useLate.ts';

export type TipPanelProps = { queue: TipQueue; tip: QueueTip; onClose: () => void };

/** Gives a tip to somebody else who handles tips, or back to the queue: one press each. */
export function HandOverPanel({ queue, tip, onClose }: TipPanelProps) {
  const [handlers, setHandlers] = useState<TipHandler[]>();
  const [loading] = useState(makeTask);
  const [task] = useState(makeTask);
  const state = useLate(task);
  const load = useCallback(async () => setHandlers(await queue.backend.read(readHandlers)), [queue]);
  useFresh(loading, 'handlers', load);
  const loaded = useLate(loading);

  const give = async (to: TipHandler | null) => {
    if (await task.run(() => doToTip(queue, tip, { act: 'handOver', to }))) onClose();
  };
  const others = handlers?.filter(({ id }) => id !== queue.me.id);
  return (
    <Panel onClose={onClose}>
      <h3>{messages.handOver.title}</h3>
      <div className="tip-choices">
        <button type="button" onClick={() => give(null)}>
          {messages.handOver.queue}
        </button>
        {others?.map((person) => (
          <button key={person.id} type="button" onClick={() => give(person)}>
            {person.display_name} <small>{desk.roles[person.role]}</small>
          </button>
        ))}
      </div>
      {others?.length === 0 && <p className="help">{messages.handOver.nobody}</p>}
      <TaskNote state={loaded} slug={queue.place} />
      <Quicker queue={queue} tip={tip} state={state} />
      <div className="actions">
        <CloseButton about={nameOfTip(tip)} onClose={onClose} />
      </div>
    </Panel>
  );
}
