import { tips as messages } from '../../lib/text/tips.ts';
import type { RefusedTip } from '../stores/tip.ts';
import type { Left } from '../stores/tip-office.ts';
import { TipTaken } from './TipTaken.tsx';

type Props = {
  left: Left;
  /** Where there is a form that words can come back to. */
  onGiveBack: ((id: string, refused: RefusedTip) => void) | undefined;
  onThrowAway: (id: string) => void;
};

/**
 * Tips that were pressed on this device before and go out now. Their words are not shown: somebody else may hold it by
 * now.
 */
export function TipsLeft({ left, onGiveBack, onThrowAway }: Props) {
  return Object.entries(left).map(([id, status]) => {
    const isDone = status.step === 'taken' && typeof status.photo !== 'number' && status.photo !== 'waiting';
    return (
      <div key={id} className="left">
        {status.step === 'taken' && <TipTaken {...status} />}
        {status.step === 'sending' && (
          <p className="status" role="status">
            {messages.left}
          </p>
        )}
        {status.step === 'writing' && (
          <p className="refused" role="alert">
            {Object.values(status.problems)[0] ?? status.sentence} {messages.leftRefused}
          </p>
        )}
        {!isDone && (
          <p className="actions">
            {status.step === 'writing' && onGiveBack && (
              <button type="button" onClick={() => onGiveBack(id, status)}>
                {messages.changeIt}
              </button>
            )}
            <button type="button" onClick={() => onThrowAway(id)}>
              {status.step === 'taken' ? messages.throwPhotoAway : messages.throwAway}
            </button>
          </p>
        )}
      </div>
    );
  });
}
