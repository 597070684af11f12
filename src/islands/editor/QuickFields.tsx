import { useId } from 'react';
import { clockOf } from '../../lib/domain/reader-coverage.ts';
import { timeRelativeTo } from '../../lib/domain/time.ts';
import type { DeskUpdate } from '../../lib/domain/updates.ts';
import { directionOf } from '../../lib/i18n/language.ts';
import type { Desk } from '../desk/desk.ts';
import { messagesIn, useMessages } from '../desk/messages.tsx';
import { Field } from '../shared/Field.tsx';
import type { FieldsProps } from './MoreFields.tsx';
import { changeScope, useDraft } from './open-editors.tsx';

/** The headline, above the text. */
export function HeadlineField({ form, problems, isReadOnly, language, change }: FieldsProps) {
  const messages = useMessages();
  return (
    <div className="headline-field">
      <Field label={messages.composer.headline} problem={problems.headline}>
        {(control) => (
          <input
            {...control}
            name="headline"
            lang={language}
            dir="auto"
            readOnly={isReadOnly}
            placeholder={messages.composer.headlineHelp}
            value={form.headline}
            onChange={(event) => change({ headline: event.target.value })}
          />
        )}
      </Field>
    </div>
  );
}

type QuickFieldsProps = FieldsProps & {
  /** Only editors set the urgency `urgent`. */
  mayBeUrgent: boolean;
};

/** Choices that are one press away from the text. */
export function QuickFields({ form, isReadOnly, mayBeUrgent, change }: QuickFieldsProps) {
  const messages = useMessages();
  const isUrgent = form.urgency === 'urgent';
  return (
    <div className="quick-fields">
      <label>
        <input
          type="checkbox"
          name="key_event"
          checked={form.key_event}
          disabled={isReadOnly}
          onChange={(event) => change({ key_event: event.target.checked })}
        />{' '}
        {messages.composer.key_event}
      </label>
      {(mayBeUrgent || isUrgent) && (
        <label>
          <input
            type="checkbox"
            name="urgent"
            checked={isUrgent}
            disabled={isReadOnly}
            onChange={(event) => change({ urgency: event.target.checked ? 'urgent' : 'normal' })}
          />{' '}
          {messages.desk.urgencies.urgent}
        </label>
      )}
    </div>
  );
}

const KINDS = ['revision', 'clarification', 'correction'] as const;
type Kind = (typeof KINDS)[number];

type Props = { desk: Pick<Desk, 'person' | '$coverage'>; update: DeskUpdate; problem?: string };

/** Kind of change of a published update, its public note, and a preview of the note. */
export function ChangeKind({ desk, update, problem }: Props) {
  const messages = useMessages();
  const { form, change } = useDraft(desk, update.id, changeScope(update.id), {
    kind: 'revision' as Kind,
    note: '',
  });
  const { kind, note } = form;
  const name = useId();
  return (
    <fieldset className="change-kind">
      <legend>{messages.desk.change.kind}</legend>
      {KINDS.map((option) => (
        <p className="field check" key={option}>
          <label htmlFor={`${name}-${option}`}>
            <input
              type="radio"
              id={`${name}-${option}`}
              name="as"
              value={option}
              checked={kind === option}
              aria-describedby={`${name}-effect`}
              onChange={() => change({ kind: option, note })}
            />{' '}
            {messages.desk.change[option]}
          </label>
        </p>
      ))}
      {kind !== 'revision' && (
        <Field label={messages.desk.change.note} help={messages.desk.change.noteHelp} problem={problem}>
          {(control) => (
            <textarea
              {...control}
              name="note"
              rows={2}
              required
              value={note}
              onChange={(event) => change({ kind, note: event.target.value })}
            />
          )}
        </Field>
      )}
      <p className="help" id={`${name}-effect`}>
        {messages.corrections.change[kind]}
      </p>
      {kind !== 'revision' && note.trim() && (
        <NotePreview desk={desk} update={update} kind={kind} note={note} />
      )}
    </fieldset>
  );
}

/** The note as readers will see it. */
function NotePreview({
  desk,
  update,
  kind,
  note,
}: Props & { kind: 'clarification' | 'correction'; note: string }) {
  const messages = useMessages();
  const { language, ...zone } = clockOf(desk.$coverage.get());
  const now = new Date();
  return (
    <p className="note" lang={language} dir={directionOf(language)}>
      <b>{messagesIn(messages, language).reader.note[kind]}</b>{' '}
      <time dateTime={now.toISOString()}>
        {timeRelativeTo(now, update.published_at ?? now, { language, ...zone })}
      </time>{' '}
      {note.trim()}
    </p>
  );
}
