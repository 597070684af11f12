import { useRef, useState } from 'react';
import { Refused } from '../../../lib/http/errors.ts';
import { desk } from '../../../lib/text/desk.ts';
import { tipQueue as messages } from '../../../lib/text/tip-queue.ts';
import { actsOn, type TipAct } from '../../../lib/tips/acts.ts';
import { makeTask } from '../../stores/task.ts';
import { doToTip, wasQuicker } from '../../stores/tip-acts.ts';
import { TaskNote } from '../desk/TaskNote.tsx';
import { goOnFrom } from './focus.ts';
import { nameOfTip } from './naming.ts';
import type { TipRowProps } from './TipRow.tsx';
import { useLate } from './useLate.ts';

/** What this person may do with a tip: most by one press, some in a panel in its place. */
export function TipActs({ queue, tip }: TipRowProps) {
  const place = useRef<HTMLDivElement>(null);
  const [task] = useState(makeTask);
  const state = useLate(task);
  const acts = actsOn(tip, queue.me.id);
  if (acts.length === 0) return null;

  const act = async (what: TipAct) => {
    const { id } = tip;
    if (what === 'use' || what === 'handOver') return queue.$open.set({ id, panel: what });
    if (what === 'reopen' && tip.state === 'used') return queue.$open.set({ id, panel: 'reopen' });
    const isDone = await task.run(async () => {
      try {
        await doToTip(queue, tip, { act: what });
      } catch (error) {
        // Somebody was quicker: the row stays, as it is now, until that was read.
        if (!(error instanceof Refused) || !wasQuicker(error)) throw error;
        queue.$open.set({ id, panel: 'refused', refusal: error.refusal });
      }
    });
    if (isDone) goOnFrom(place.current);
  };
  return (
    <>
      <div className="tip-acts" ref={place}>
        {acts.map((what) => (
          <button
            key={what}
            type="button"
            data-action={what}
            aria-label={desk.about(messages.acts[what], nameOfTip(tip))}
            onClick={() => act(what)}
          >
            {messages.acts[what]}
          </button>
        ))}
      </div>
      <TaskNote state={state} slug={queue.place} />
    </>
  );
}
