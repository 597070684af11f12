import { useCallback, useRef } from 'react';
import { tipQueue as messages } from '../../../lib/text/tip-queue.ts';
import { isOthers } from '../../../lib/tips/acts.ts';
import type { QueueTip } from '../../../lib/tips/queue.ts';
import type { TipPanel, TipQueue } from '../../stores/tip-queue.ts';
import { HandOverPanel } from './HandOverPanel.tsx';
import { nameOfTip } from './naming.ts';
import { RefusedPanel } from './RefusedPanel.tsx';
import { ReopenPanel } from './ReopenPanel.tsx';
import { TipActs } from './TipActs.tsx';
import { TipLine } from './TipLine.tsx';
import { TipPhoto } from './TipPhoto.tsx';
import { TipWords } from './TipWords.tsx';
import { UsePanel } from './UsePanel.tsx';

export type TipRowProps = {
  queue: TipQueue;
  tip: QueueTip;
  /** Whose clocks the times are told by. */
  timeZone: string;
  /** What is open in its place. */
  open: TipPanel | null;
};

/** One tip: where it stands, what it says, and at its foot, where a thumb is, what may be done with it. */
export function TipRow(props: TipRowProps) {
  const { queue, tip, open } = props;
  const row = useRef<HTMLLIElement>(null);
  const onClose = useCallback(() => {
    queue.$open.set(null);
    queue.list.letGo();
    row.current?.focus();
  }, [queue]);
  return (
    <li
      ref={row}
      id={tip.id}
      tabIndex={-1}
      className={`tip-row${whose(tip, queue.me.id)}`}
      aria-label={`${messages.states[tip.state]}: ${nameOfTip(tip)}`}
    >
      <TipLine {...props} />
      <TipWords tip={tip} />
      {tip.photo && <TipPhoto queue={queue} photo={tip.photo} />}
      {!open && <TipActs {...props} />}
      {open?.panel === 'use' && <UsePanel queue={queue} tip={tip} onClose={onClose} />}
      {open?.panel === 'handOver' && <HandOverPanel queue={queue} tip={tip} onClose={onClose} />}
      {open?.panel === 'reopen' && <ReopenPanel queue={queue} tip={tip} onClose={onClose} />}
      {open?.panel === 'refused' && (
        <RefusedPanel queue={queue} tip={tip} refusal={open.refusal} onClose={onClose} />
      )}
    </li>
  );
}

/** Who has it, for the style sheet. */
function whose(tip: QueueTip, me: string): string {
  if (tip.state !== 'in_review') return '';
  return isOthers(tip, me) ? ' others' : ' mine';
}
