import { useState } from 'react';
import { receiptPath } from '../../lib/data/tip-form.ts';
import { clockTime, dayName, zoneName } from '../../lib/domain/time.ts';
import { tips as messages } from '../../lib/i18n/tips.ts';
import { forgetReceipts, readReceipts } from './draft.ts';
import type { Left } from './pending-tips.ts';
import type { RefusedTip, TipStatus } from './store.ts';

type TipTakenProps = Omit<Extract<TipStatus, { step: 'taken' }>, 'step'> & {
  /** Where nothing else is to be written. */
  onAnother?: () => void;
};

/** The tip is with the newsroom: its receipt, and how far the photo is. */
export function TipTaken({ receipt, photo, isKept, isApart, onAnother }: TipTakenProps) {
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

function sayOf(photo: TipTakenProps['photo'], isKept: boolean): string {
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

/** The receipts of tips that went out from this device, until somebody has it forget them. */
export function TipReceipts() {
  const [receipts, setReceipts] = useState(readReceipts);
  if (receipts.length === 0) return null;
  return (
    <section className="aside" aria-labelledby="tip-receipts">
      <h2 id="tip-receipts">{messages.receipts.title}</h2>
      <ul>
        {receipts.map(({ receipt, at }) => (
          <li key={receipt}>
            <a href={receiptPath(receipt)}>{messages.receipts.of(timeOf(at))}</a>
          </li>
        ))}
      </ul>
      <p className="actions">
        <button
          type="button"
          onClick={() => {
            forgetReceipts();
            setReceipts([]);
          }}
        >
          {messages.receipts.forget}
        </button>
      </p>
    </section>
  );
}

/** In the zone of this device: it is about what was done here. */
function timeOf(at: number): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const clock = { timeZone, language: document.documentElement.lang };
  return `${clockTime(new Date(at), clock)} ${zoneName(new Date(at), clock)}, ${dayName(new Date(at), clock)}`;
}

type TipsLeftProps = {
  left: Left;
  /** Where there is a form that words can come back to. */
  onGiveBack: ((id: string, refused: RefusedTip) => void) | undefined;
  onThrowAway: (id: string) => void;
};

/**
 * Tips that were pressed on this device before and go out now. Their words are not shown: somebody else may hold it by
 * now.
 */
export function TipsLeft({ left, onGiveBack, onThrowAway }: TipsLeftProps) {
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
