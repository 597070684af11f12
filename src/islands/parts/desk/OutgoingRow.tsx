import { useRef, useState } from 'react';
import { desk as deskMessages } from '../../../lib/text/desk.ts';
import { outbox as messages } from '../../../lib/text/outbox.ts';
import { wordsIn } from '../../../lib/text/words-in.ts';
import { undo } from '../../stores/acts.ts';
import type { Desk } from '../../stores/desk.ts';
import type { QueuedCommandView } from '../../stores/outbox.ts';
import { makeTask } from '../../stores/task.ts';
import { ReopenedCommand } from './OpenedPress.tsx';
import { ReopenedSummary } from './OpenedSummary.tsx';
import { TaskNote } from './TaskNote.tsx';
import { useShared } from './useShared.ts';

type Props = { desk: Desk; item: QueuedCommandView };

/** One queued command with its progress and actions. */
export function OutboxRow({ desk, item }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [isConfirming, setAsked] = useState(false);
  const [task] = useState(makeTask);
  const row = useRef<HTMLLIElement>(null);
  const state = useShared(task.$state);
  const { slug, language } = useShared(desk.$coverage);
  const { id, subject, kind, step, excerpt, number, refusal, edited } = item;

  /** Moves the focus after the pressed button has disappeared. */
  const restoreFocus = () =>
    requestAnimationFrame(() => {
      if (document.activeElement !== document.body) return;
      (row.current?.querySelector<HTMLElement>('fieldset button') ?? row.current)?.focus();
    });
  const confirm = (isConfirming: boolean) => {
    setAsked(isConfirming);
    restoreFocus();
  };
  const close = () => {
    setOpen(false);
    restoreFocus();
  };
  const named = (label: string) => deskMessages.about(label, excerpt || messages.kinds[kind]);

  const recall = async () => {
    if ((await desk.outbox.recall(id)) === 'open') setOpen(true);
  };
  const undoNow = () =>
    task.run(() => undo(desk, { update_id: subject, reason: wordsIn(messages, language).undoReason }));
  const hasWords = edited !== null || item.summary !== undefined;
  if (isOpen && hasWords) {
    const Reopened = edited ? ReopenedCommand : ReopenedSummary;
    return (
      <li className="outgoing-row needs_you">
        <Reopened desk={desk} item={item} onClose={close} />
      </li>
    );
  }
  return (
    <li ref={row} tabIndex={-1} className={`outgoing-row ${step}`}>
      <p>
        <b>{messages.steps[step]}</b> <span>{messages.kinds[kind]}</span>{' '}
        {number !== undefined && step === 'live' && (
          <a href={`/live/${slug}/${number}`}>{messages.number(number)}</a>
        )}{' '}
        <q lang={language} dir="auto">
          {excerpt}
        </q>
      </p>
      {refusal && <p className="refused">{refusal.sentence}</p>}
      <div className="row-actions">
        {item.isUnsent && (
          <button type="button" aria-label={named(messages.takeBack)} onClick={recall}>
            {messages.takeBack}
          </button>
        )}
        {item.undoUntil !== undefined && (
          <button type="button" aria-label={named(messages.undo)} onClick={undoNow}>
            {messages.undo}
          </button>
        )}
        {step === 'needs_you' && hasWords && (
          <button type="button" aria-label={named(messages.open)} onClick={() => setOpen(true)}>
            {messages.open}
          </button>
        )}
        {step === 'needs_you' && (
          <button type="button" aria-label={named(messages.again)} onClick={() => desk.outbox.retry(id)}>
            {messages.again}
          </button>
        )}
        {step === 'needs_you' && !isConfirming && (
          <button type="button" aria-label={named(messages.throwAway)} onClick={() => confirm(true)}>
            {messages.throwAway}
          </button>
        )}
      </div>
      {isConfirming && (
        <fieldset className="bare row-actions">
          <legend>{messages.sure}</legend>
          <button type="button" onClick={() => desk.outbox.discard(id)}>
            {messages.throwAway}
          </button>
          <button type="button" onClick={() => confirm(false)}>
            {messages.keep}
          </button>
        </fieldset>
      )}
      <TaskNote state={state} slug={slug} />
    </li>
  );
}
