import { useState } from 'react';
import { receiptPath } from '../../lib/data/tips.ts';
import { type Clock, dayAndTime } from '../../lib/domain/time.ts';
import { deleteReceipts, readReceipts } from './draft.ts';
import type { TipMessages } from './messages.ts';
import type { QueuedTips } from './pending-tips.ts';
import type { RefusedTip, SubmissionStatus } from './store.ts';

type TipReceivedProps = Omit<Extract<SubmissionStatus, { step: 'received' }>, 'step'> & {
  messages: TipMessages;
  /** Undefined when there is no form for another tip. */
  onAnother?: () => void;
};

/** A received tip: its receipt and the progress of its photo. */
export function TipReceived({
  messages,
  receipt,
  photo,
  isStored,
  isAnonymous,
  onAnother,
}: TipReceivedProps) {
  const isUploading = typeof photo === 'number' || photo === 'waiting';
  return (
    <>
      <p className="status" role="status">
        {photoMessage(messages, photo, isStored)}
        {isAnonymous && ` ${messages.apart}`}
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
      {!isUploading && onAnother && (
        <p className="actions">
          <button type="button" onClick={onAnother}>
            {messages.another}
          </button>
        </p>
      )}
    </>
  );
}

function photoMessage(messages: TipMessages, photo: TipReceivedProps['photo'], isStored: boolean): string {
  if (typeof photo === 'number') return messages.photoGoing;
  if (photo === 'waiting' && isStored) return messages.photoWaitsHere;
  return {
    none: messages.received,
    waiting: messages.photoWaiting,
    arrived: messages.photoReceived,
    refused: messages.photoRefused,
    lost: messages.photoLost,
  }[photo];
}

/** Receipts of tips from this device, with a button that deletes them. */
export function TipReceipts({ messages, clock }: { messages: TipMessages; clock: Clock }) {
  const [receipts, setReceipts] = useState(readReceipts);
  if (receipts.length === 0) return null;
  return (
    <section className="aside" aria-labelledby="tip-receipts">
      <h2 id="tip-receipts">{messages.receipts.title}</h2>
      <ul>
        {receipts.map(({ receipt, at }) => (
          <li key={receipt}>
            <a href={receiptPath(receipt)}>{messages.receipts.of(dayAndTime(new Date(at), clock))}</a>
          </li>
        ))}
      </ul>
      <p className="actions">
        <button
          type="button"
          onClick={() => {
            deleteReceipts();
            setReceipts([]);
          }}
        >
          {messages.receipts.forget}
        </button>
      </p>
    </section>
  );
}

type TipsLeftProps = {
  messages: TipMessages;
  queuedTips: QueuedTips;
  /** Undefined when there is no form to restore the text in. */
  onRestore: ((id: string, refused: RefusedTip) => void) | undefined;
  onDiscard: (id: string) => void;
};

/**
 * Tips that were queued on this device before and are being sent. Their text is not shown, because another person may
 * use the device now.
 */
export function QueuedTipsList({ messages, queuedTips, onRestore, onDiscard }: TipsLeftProps) {
  return Object.entries(queuedTips).map(([id, status]) => {
    const isDone =
      status.step === 'received' && typeof status.photo !== 'number' && status.photo !== 'waiting';
    return (
      <div key={id} className="left">
        {status.step === 'received' && <TipReceived messages={messages} {...status} />}
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
            {status.step === 'writing' && onRestore && (
              <button type="button" onClick={() => onRestore(id, status)}>
                {messages.changeIt}
              </button>
            )}
            <button type="button" onClick={() => onDiscard(id)}>
              {status.step === 'received' ? messages.throwPhotoAway : messages.throwAway}
            </button>
          </p>
        )}
      </div>
    );
  });
}
