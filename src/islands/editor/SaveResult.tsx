import { type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react';
import {
  type FormProblems,
  formBody,
  formOf,
  mergeForms,
  type UpdateForm,
} from '../../lib/data/update-form.ts';
import type { DeskByline, DeskUpdate } from '../../lib/domain/updates.ts';
import { formatList } from '../../lib/i18n/plural.ts';
import { sentenceOf } from '../../lib/i18n/refusals.ts';
import { RefusalNote, TaskNote } from '../desk/controls.tsx';
import type { Desk } from '../desk/desk.ts';
import { type DeskMessages, useMessages } from '../desk/messages.tsx';
import { makeTask } from '../desk/task.ts';
import { statusMessageOf } from '../outbox/save.ts';
import { useShared } from '../shared/use-shared.ts';
import { undo } from '../update-list/actions.ts';
import { Difference, TextDifference } from './Difference.tsx';
import type { EditorStatus } from './editor.ts';

type ConflictProps = {
  theirs: DeskUpdate;
  /** Time zone of the coverage. */
  timeZone: string;
  /** Language of the coverage. */
  language: string;
  mine: UpdateForm;
  /** Continues with a form on top of their version. */
  choose: (theirs: DeskUpdate, form: UpdateForm) => void;
};

/**
 * Shows both versions after a conflict, their differences, and three choices. Choosing saves nothing, and the other
 * version can be restored.
 */
export function Conflict({ theirs, timeZone, language, mine, choose }: ConflictProps) {
  const messages = useMessages();
  const saved = formOf(messages, theirs, timeZone);
  const sides = [
    { only: 'removed', title: messages.desk.conflict.theirs(theirs.version) },
    { only: 'added', title: messages.desk.conflict.mine },
  ] as const;
  return (
    <section className="conflict" aria-label={messages.desk.conflict.title}>
      <div className="sides">
        {sides.map(({ only, title }) => (
          <div key={only}>
            <h3>{title}</h3>
            <Line before={saved.headline} after={mine.headline} language={language} only={only} isHead />
            <Difference
              before={theirs.body}
              after={formBody(mine, timeZone, theirs)}
              language={language}
              timeZone={timeZone}
              only={only}
            />
            {(['attribution', 'dateline', 'desk_note'] as const).map((field) => (
              <Line
                key={field}
                label={messages.composer[field]}
                before={saved[field]}
                after={mine[field]}
                language={language}
                only={only}
              />
            ))}
          </div>
        ))}
      </div>
      <div className="actions">
        <button type="button" onClick={() => choose(theirs, mine)}>
          {messages.desk.conflict.keepMine}
        </button>
        <button type="button" onClick={() => choose(theirs, withBoth(saved, mine))}>
          {messages.desk.conflict.both}
        </button>
        <button type="button" onClick={() => choose(theirs, saved)}>
          {messages.desk.conflict.takeTheirs}
        </button>
      </div>
    </section>
  );
}

type LineProps = {
  label?: string;
  before: string;
  after: string;
  language: string;
  only: 'added' | 'removed';
  isHead?: boolean;
};

/** One-line field of one version. A value that both versions share is shown only as the headline. */
function Line({ label, before, after, language, only, isHead = false }: LineProps): ReactNode {
  const own = only === 'added' ? after : before;
  if (own === '' || (!isHead && before === after)) return null;
  const text = <TextDifference before={before} after={after} language={language} only={only} />;
  return (
    <p>
      {label && <span className="label">{label} </span>}
      <span lang={language}>{isHead ? <b>{text}</b> : text}</span>
    </p>
  );
}

/** Combines both texts. Where a one-line field differs, their value moves to the top of the body. */
function withBoth(saved: UpdateForm, mine: UpdateForm): UpdateForm {
  const both = mergeForms(saved, mine);
  const replacedFields = (['headline', 'attribution', 'dateline'] as const)
    .filter((field) => saved[field] !== '' && saved[field] !== mine[field])
    .map((field) => (mine[field] === '' ? { field, line: '' } : { field, line: `${saved[field]}\n\n` }));
  const keptFields = Object.fromEntries(
    replacedFields.filter(({ line }) => line === '').map(({ field }) => [field, saved[field]]),
  );
  const notes = [saved.desk_note, mine.desk_note].filter(
    (note, index, all) => note && all.indexOf(note) === index,
  );
  return {
    ...both,
    ...keptFields,
    desk_note: notes.join('\n\n'),
    body: replacedFields.map(({ line }) => line).join('') + both.body,
  };
}

type FilledFieldsProps = { form: UpdateForm; names: ReadonlyMap<string, DeskByline> };

/** Values of the collapsed fields, so that nothing is published unseen. */
export function FilledFields({ form, names }: FilledFieldsProps) {
  const messages = useMessages();
  const parts = filledParts(messages, form, names);
  if (parts.length === 0) return null;
  return (
    <ul className="filled">
      {parts.map(({ field, text }) => (
        <li key={field}>
          <bdi>{text}</bdi>
        </li>
      ))}
    </ul>
  );
}

function filledParts(messages: DeskMessages, form: UpdateForm, names: ReadonlyMap<string, DeskByline>) {
  const { filled } = messages.composer;
  const by = form.bylines.map((id) => names.get(id)?.display_name ?? messages.composer.bylines.unknown);
  const parts = [
    { field: 'urgency', text: form.urgency === 'important' && messages.desk.urgencies.important },
    {
      field: 'verification',
      text: form.verification !== 'confirmed' && messages.composer.verifications[form.verification],
    },
    { field: 'attribution', text: form.attribution.trim() && filled.source(form.attribution.trim()) },
    { field: 'dateline', text: form.dateline.trim() },
    {
      field: 'occurred_at',
      text: form.occurred_at && filled.happened(form.occurred_at.replace('T', ' ')),
    },
    { field: 'bylines', text: by.length > 0 && filled.by(formatList(by, messages.language)) },
    { field: 'desk_note', text: form.desk_note.trim() && filled.desk_note(form.desk_note.trim()) },
  ];
  return parts.flatMap(({ field, text }) => (text ? [{ field, text }] : []));
}

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
