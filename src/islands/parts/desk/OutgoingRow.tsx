import { useRef, useState } from 'react';
import { desk as deskWords } from '../../../lib/text/desk.ts';
import { outbox as words } from '../../../lib/text/outbox.ts';
import { wordsIn } from '../../../lib/text/words-in.ts';
import { undo } from '../../stores/acts.ts';
import type { Desk } from '../../stores/desk.ts';
import type { Outgoing } from '../../stores/outbox.ts';
import { makeTask } from '../../stores/task.ts';
import { OpenedPress } from './OpenedPress.tsx';
import { OpenedSummary } from './OpenedSummary.tsx';
import { TaskNote } from './TaskNote.tsx';
import { useShared } from './useShared.ts';

type Props = { desk: Desk; item: Outgoing };

/** One thing on its way: where it is, and what may be done about it. */
export function OutgoingRow({ desk, item }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const [task] = useState(makeTask);
  const row = useRef<HTMLLIElement>(null);
  const state = useShared(task.$state);
  const { slug, language } = useShared(desk.$coverage);
  const { id, update, kind, step, excerpt, number, refusal, work } = item;

  /** The button that was pressed is gone: what stands in its place is gone to, or the row. */
  const goOn = () =>
    requestAnimationFrame(() => {
      if (document.activeElement !== document.body) return;
      (row.current?.querySelector<HTMLElement>('fieldset button') ?? row.current)?.focus();
    });
  const ask = (isAsked: boolean) => {
    setAsked(isAsked);
    goOn();
  };
  const close = () => {
    setOpen(false);
    goOn();
  };
  const named = (label: string) => deskWords.about(label, excerpt || words.kinds[kind]);

  const takeBack = async () => {
    if ((await desk.outbox.takeBack(id)) === 'open') setOpen(true);
  };
  const undoNow = () =>
    task.run(() => undo(desk, { update_id: update, reason: wordsIn(words, language).undoReason }));
  const hasWords = work !== null || item.summary !== undefined;
  if (isOpen && hasWords) {
    const Opened = work ? OpenedPress : OpenedSummary;
    return (
      <li className="outgoing-row needs_you">
        <Opened desk={desk} item={item} onClose={close} />
      </li>
    );
  }
  return (
    <li ref={row} tabIndex={-1} className={`outgoing-row ${step}`}>
      <p>
        <b>{words.steps[step]}</b> <span>{words.kinds[kind]}</span>{' '}
        {number !== undefined && step === 'live' && (
          <a href={`/live/${slug}/${number}`}>{words.number(number)}</a>
        )}{' '}
        <q lang={language} dir="auto">
          {excerpt}
        </q>
      </p>
      {refusal && <p className="refused">{refusal.sentence}</p>}
      <div className="row-actions">
        {item.isUntried && (
          <button type="button" aria-label={named(words.takeBack)} onClick={takeBack}>
            {words.takeBack}
          </button>
        )}
        {item.undoUntil !== undefined && (
          <button type="button" aria-label={named(words.undo)} onClick={undoNow}>
            {words.undo}
          </button>
        )}
        {step === 'needs_you' && hasWords && (
          <button type="button" aria-label={named(words.open)} onClick={() => setOpen(true)}>
            {words.open}
          </button>
        )}
        {step === 'needs_you' && (
          <button type="button" aria-label={named(words.again)} onClick={() => desk.outbox.again(id)}>
            {words.again}
          </button>
        )}
        {step === 'needs_you' && !isAsked && (
          <button type="button" aria-label={named(words.throwAway)} onClick={() => ask(true)}>
            {words.throwAway}
          </button>
        )}
      </div>
      {isAsked && (
        <fieldset className="bare row-actions">
          <legend>{words.sure}</legend>
          <button type="button" onClick={() => desk.outbox.throwAway(id)}>
            {words.throwAway}
          </button>
          <button type="button" onClick={() => ask(false)}>
            {words.keep}
          </button>
        </fieldset>
      )}
      <TaskNote state={state} slug={slug} />
    </li>
  );
}
