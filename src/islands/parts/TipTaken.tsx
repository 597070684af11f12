import { tips as words } from '../../lib/text/tips.ts';
import { receiptPath } from '../../lib/tips/tip.ts';
import type { TipPhoto } from '../stores/tip.ts';

type Props = { receipt: string; photo: TipPhoto; onAnother: () => void };

/** The tip is with the newsroom: its receipt, and how far the photo is. */
export function TipTaken({ receipt, photo, onAnother }: Props) {
  const isGoing = typeof photo === 'number' || photo === 'waiting';
  return (
    <>
      <p className="status" role="status">
        {sayOf(photo)}
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
      {!isGoing && (
        <p className="actions">
          <button type="button" onClick={onAnother}>
            {words.another}
          </button>
        </p>
      )}
    </>
  );
}

function sayOf(photo: TipPhoto): string {
  if (typeof photo === 'number') return words.photoGoing;
  return {
    none: words.received,
    waiting: words.photoWaiting,
    arrived: words.photoReceived,
    refused: words.photoRefused,
  }[photo];
}
