import { useState } from 'react';
import type { Refusal } from '../../../lib/http/errors.ts';
import { desk } from '../../../lib/text/desk.ts';
import { tipQueue as messages } from '../../../lib/text/tip-queue.ts';
import { actsOn, isOthers, type TipAct } from '../../../lib/tips/acts.ts';
import type { QueueTip } from '../../../lib/tips/queue.ts';
import { makeTask, type TaskState } from '../../stores/task.ts';
import { doToTip } from '../../stores/tip-acts.ts';
import type { TipQueue } from '../../stores/tip-queue.ts';
import { RefusalNote } from '../desk/RefusalNote.tsx';
import { nameOfTip } from './naming.ts';
import { useLate } from './useLate.ts';

type Props = {
  queue: TipQueue;
  /** As it is now. */
  tip: QueueTip;
  state: TaskState;
  /** What was typed, and is not lost. */
  hasWords?: boolean;
  /** It is with this person now. */
  onTaken?: () => void;
};

/** What becomes of a press: that it is being sent, or why it was not done; where somebody was quicker, who has it and the way on. */
export function Quicker({ queue, tip, state, hasWords = false, onTaken }: Props) {
  const [task] = useState(makeTask);
  const taking = useLate(task);
  const refused = state.step === 'refused' ? state.refusal : null;
  // To go on it has to be one's own again.
  const back = refused && isTips(refused) ? actsOn(tip, queue.me.id).find(isBack) : undefined;
  const take = async () => {
    if (!back) return;
    if (await task.run(() => doToTip(queue, tip, { act: back }))) onTaken?.();
  };
  return (
    <>
      <span className="status" role="status">
        {(state.step === 'doing' || taking.step === 'doing') && desk.status.sending}
      </span>
      {refused && (
        <RefusalNote
          refusal={refused}
          slug={queue.place}
          sentence={[
            sentenceOf(refused, tip, queue.me.id),
            ...(hasWords ? [messages.refused.stillTyped] : []),
          ].join(' ')}
        />
      )}
      {taking.step === 'refused' && (
        <RefusalNote
          refusal={taking.refusal}
          slug={queue.place}
          sentence={sentenceOf(taking.refusal, tip, queue.me.id)}
        />
      )}
      {back && (
        <p className="actions">
          <button
            type="button"
            className="main"
            data-action={back}
            aria-label={desk.about(messages.acts[back], nameOfTip(tip))}
            onClick={take}
          >
            {messages.acts[back]}
          </button>
        </p>
      )}
    </>
  );
}

/** Whether the tip itself is why. */
const isTips = ({ code, version }: Refusal) =>
  code === 'conflict' || (code === 'bad_state' && version !== undefined);

const isBack = (act: TipAct): act is 'takeOver' | 'reopen' => act === 'takeOver' || act === 'reopen';

/** Who has it now, where that is why. */
function sentenceOf(refusal: Refusal, tip: QueueTip, me: string): string {
  return isTips(refusal) && isOthers(tip, me)
    ? messages.refused.taken(tip.assigned?.name ?? '')
    : refusal.sentence;
}
