import { tips as words } from '../../lib/text/tips.ts';
import { receiptPath } from '../../lib/tips/tip.ts';
import type { TipStatus } from '../stores/tip.ts';

type Props = Omit<Extract<TipStatus, { step: 'taken' }>, 'step'> & {
  /** Where nothing else is to be written. */
  onAnother?: () => void;
};

/** The tip is with the newsroom: its receipt, and how far the photo is. */
export function TipTaken({ receipt, photo, isKept, isApart, onAnother }: Props) {
  const isGoing = typeof photo === 'number' || photo === 'waiting';
  return (
    <>
      <p className="status" role="status">
        {sayOf(photo, isKept)}
        {isApart && ` ${words.apart}`}
      </p>
      {typeof photo === 'number' && (
        <p className="help">
          {words.photoSent(Math.floor(photo * 100))}
          <progress value={photo} aria-label={words.photoProgress} />
        </p>
      )}
      <p>
        {words.keepReceipt} <a href={receiptPath(receipt)}>{words.receiptLink}</a>
      </p>
      {!isGoing && onAnother && (
        <p className="actions">
          <button type="button" onClick={onAnother}>
            {words.another}
          </button>
        </p>
      )}
    </>
  );
}

function sayOf(photo: Props['photo'], isKept: boolean): string {
  if (typeof photo === 'number') return words.photoGoing;
  if (photo === 'waiting' && isKept) return words.photoWaitsHere;
  return {
    none: words.received,
    waiting: words.photoWaiting,
    arrived: words.photoReceived,
    refused: words.photoRefused,
    lost: words.photoLost,
  }[photo];
}
