import { tips as messages } from '../../lib/text/tips.ts';
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
        {isApart && ` ${messages.apart}`}
      </p>
      {typeof photo === 'number' && (
        <p className="help">
          {messages.photoSent(Math.floor(photo * 100))}
          <progress value={photo} aria-label={messages.photoProgress} />
        </p>
      )}
      <p>
        {messages.keepReceipt} <a href={receiptPath(receipt)}>{messages.receiptLink}</a>
      </p>
      {!isGoing && onAnother && (
        <p className="actions">
          <button type="button" onClick={onAnother}>
            {messages.another}
          </button>
        </p>
      )}
    </>
  );
}

function sayOf(photo: Props['photo'], isKept: boolean): string {
  if (typeof photo === 'number') return messages.photoGoing;
  if (photo === 'waiting' && isKept) return messages.photoWaitsHere;
  return {
    none: messages.received,
    waiting: messages.photoWaiting,
    arrived: messages.photoReceived,
    refused: messages.photoRefused,
    lost: messages.photoLost,
  }[photo];
}
