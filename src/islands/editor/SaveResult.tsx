import { type RefObject, useEffect, useId, useRef, useState } from 'react';
import type { FormProblems } from '../../lib/data/update-form.ts';
import type { DeskUpdate } from '../../lib/domain/updates.ts';
import { sentenceOf } from '../../lib/i18n/refusals.ts';
import { RefusalNote, TaskNote } from '../desk/controls.tsx';
import type { Desk } from '../desk/desk.ts';
import { type DeskMessages, useMessages } from '../desk/messages.tsx';
import { makeTask } from '../desk/task.ts';
import { statusMessageOf } from '../outbox/save.ts';
import { useShared } from '../shared/use-shared.ts';
import { undo } from '../update-list/actions.ts';
import type { EditorStatus } from './editor.ts';

type SaveResultProps = {
  desk: Desk;
  status: EditorStatus;
  before?: DeskUpdate;
  /** The text field, which takes the focus when a focused button disappears. */
  area: RefObject<HTMLTextAreaElement | null>;
};

/** Result of the last save, beside the buttons. An error takes the focus; other results are announced politely. */
export function SaveResult({ desk, status, before, area }: SaveResultProps) {
  const messages = useMessages();
  const problemNote = useRef<HTMLParagraphElement>(null);
  const { slug } = useShared(desk.$coverage);
  const pauseReason = useShared(desk.outbox.$pauseReason);
  const connection = useShared(desk.sync.$connection);
  const [undoneId, setUndoneId] = useState<string>();
  useEffect(() => {
    if (status.step === 'wrong') problemNote.current?.focus();
  }, [status]);
  const sentences = status.step === 'wrong' ? problemMessages(status) : [];
  const saveStatus = status.step === 'sent' && status.id !== undoneId ? status.saveStatus : undefined;
  const isSending = status.step === 'sending' || (saveStatus?.kind === 'kept' && !pauseReason);
  return (
    <div className="save-result">
      <p className="status" role="status">
        {isSending && messages.desk.status.sending}
        {saveStatus && !isSending && statusMessageOf(messages, saveStatus)}
        {status.step === 'refused' && status.isUnasked && sentenceOf(status.refusal, messages)}
      </p>
      {status.step === 'sent' && saveStatus?.kind === 'published' && (
        <Published
          key={status.id}
          desk={desk}
          id={status.id}
          number={saveStatus.number}
          onUndone={() => setUndoneId(status.id)}
          area={area}
        />
      )}
      {connection?.state === 'behind' && <p className="help">{messages.composer.offline}</p>}
      {sentences.length > 0 && (
        <p className="refused" ref={problemNote} tabIndex={-1}>
          {sentences.join(' ')}
        </p>
      )}
      {status.step === 'refused' && !status.isUnasked && !isScheduleProblem(status) && (
        <RefusalNote
          refusal={status.refusal}
          sentence={alreadyPublishedMessage(messages, status, before) ?? sentenceOf(status.refusal, messages)}
          slug={slug}
        />
      )}
    </div>
  );
}

type PublishedProps = {
  desk: Desk;
  id: string;
  number: number;
  onUndone(): void;
  area: RefObject<HTMLTextAreaElement | null>;
};

/** Link to the update that was just published, and for a short time its undo. */
function Published({ desk, id, number, onUndone, area }: PublishedProps) {
  const messages = useMessages();
  const { slug } = useShared(desk.$coverage);
  const canUndo = useShared(desk.outbox.$commands).some(
    (item) => item.subject === id && item.undoUntil !== undefined,
  );
  const [task] = useState(makeTask);
  const state = useShared(task.$state);
  const hadFocus = useRef(false);
  const helpId = useId();
  // The button disappears when the time for an undo is over.
  useEffect(() => {
    if (!canUndo && hadFocus.current && document.activeElement === document.body) area.current?.focus();
  }, [canUndo, area]);
  const undoNow = async () => {
    if (!(await task.run(() => undo(messages, desk, id)))) return;
    onUndone();
    area.current?.focus();
  };
  return (
    <>
      <a className="view" href={`/live/${slug}/${number}`}>
        {messages.outbox.view}
      </a>
      {canUndo && (
        <>
          <button
            type="button"
            className="quiet"
            aria-describedby={helpId}
            onClick={undoNow}
            onFocus={() => {
              hadFocus.current = true;
            }}
            onBlur={({ relatedTarget }) => {
              if (relatedTarget) hadFocus.current = false;
            }}
          >
            {messages.outbox.undo}
          </button>
          <span className="help" id={helpId}>
            {messages.outbox.undoHelp}
          </span>
        </>
      )}
      <TaskNote state={state} slug={slug} />
    </>
  );
}

/** The schedule field shows its own error. */
export function isScheduleProblem(status: EditorStatus): boolean {
  return status.step === 'refused' && status.refusal.field === 'scheduled_for';
}

/** Problems to show at the fields. */
export function problemsOf(messages: DeskMessages, status: EditorStatus): FormProblems {
  if (status.step === 'wrong') return status.problems;
  if (status.step !== 'refused' || !status.refusal.field) return {};
  return { [status.refusal.field]: sentenceOf(status.refusal, messages) };
}

function problemMessages({ problems, photos }: Extract<EditorStatus, { step: 'wrong' }>): string[] {
  const { scheduled_for: _, ...others } = problems;
  return [...Object.values(others), ...Object.values(photos).map(({ sentence }) => sentence)];
}

/** The first attempt was published although its answer was lost. The form now changes that update. */
function alreadyPublishedMessage(
  messages: DeskMessages,
  status: EditorStatus,
  before?: DeskUpdate,
): string | undefined {
  const number = before?.number;
  const ours =
    status.step === 'refused' && status.refusal.code === 'bad_state' && status.theirs?.id === before?.id;
  return ours && number ? messages.desk.status.already(number) : undefined;
}
