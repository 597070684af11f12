import { type ReactNode, useState } from 'react';
import type { FormField, FormProblems, UpdateForm } from '../../../lib/desk/form.ts';
import { clockNote } from '../../../lib/desk/schedule.ts';
import type { DeskUpdate, Urgency, Verification } from '../../../lib/desk/update.ts';
import { composer } from '../../../lib/text/composer.ts';
import { desk as messages } from '../../../lib/text/desk.ts';
import { BylinesField } from './BylinesField.tsx';
import { Field } from './Field.tsx';
import { FilledFields } from './FilledFields.tsx';
import type { Names } from './useNames.ts';

export type FieldsProps = {
  form: UpdateForm;
  problems: FormProblems;
  /** Whether the form is being sent. */
  isSending: boolean;
  /** Language of the coverage, for spelling checkers and screen readers. */
  language: string;
  change: (part: Partial<UpdateForm>) => void;
};

type Props = FieldsProps & {
  /** Only editors set the urgency `urgent`. */
  mayBeUrgent: boolean;
  timeZone: string;
  names: Names;
  /** The update when editing began; none for a new one. */
  before?: DeskUpdate;
  /** Picker for photos of the library. */
  library: ReactNode;
  /** Called when the fields are opened or closed. */
  onOpen(isOpen: boolean): void;
};

/** All fields besides the text, collapsible. While they are collapsed, their values are listed. */
export function MoreFields(props: Props) {
  const { form, problems, language, names, change } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <details
        className="more-fields"
        open={hasMoreProblems(problems) || isOpen}
        onToggle={(event) => {
          setOpen(event.currentTarget.open);
          props.onOpen(event.currentTarget.open);
        }}
      >
        <summary>{composer.more}</summary>
        {props.library}
        <TextField {...props} name="headline" help={composer.headlineHelp} />
        <p className="field check">
          <label>
            <input
              type="checkbox"
              name="key_event"
              checked={form.key_event}
              onChange={(event) => change({ key_event: event.target.checked })}
            />{' '}
            {composer.key_event}
          </label>
        </p>
        <UrgencyField {...props} />
        <VerificationField {...props} />
        <TextField {...props} name="attribution" help={composer.attributionHelp} />
        <TextField {...props} name="dateline" help={composer.datelineHelp} />
        <OccurredField {...props} />
        <BylinesField
          chosen={form.bylines}
          names={names}
          isNew={!props.before}
          problem={problems.bylines}
          isSending={props.isSending}
          change={(bylines) => change({ bylines })}
        />
        <TextField {...props} name="desk_note" help={composer.deskNoteHelp} />
      </details>
      {!isOpen && <FilledFields form={form} names={names.known} language={language} />}
    </>
  );
}

const ELSEWHERE = ['body', 'note', 'photos', 'scheduled_for'];

function hasMoreProblems(problems: FormProblems): boolean {
  return Object.keys(problems).some((field) => !ELSEWHERE.includes(field));
}

type TextProps = Props & {
  name: Extract<FormField, 'headline' | 'attribution' | 'dateline' | 'desk_note'>;
  help: string;
};

function TextField({ name, help, form, problems, isSending, language, change }: TextProps) {
  const control = { name, value: form[name], lang: language, dir: 'auto', readOnly: isSending };
  return (
    <Field label={composer[name]} help={help} problem={problems[name]}>
      {(named) =>
        name === 'desk_note' ? (
          <textarea
            {...named}
            {...control}
            rows={1}
            onChange={(event) => change({ [name]: event.target.value })}
          />
        ) : (
          <input {...named} {...control} onChange={(event) => change({ [name]: event.target.value })} />
        )
      }
    </Field>
  );
}

function UrgencyField({ form, problems, mayBeUrgent, change }: Props) {
  const offered: Urgency[] = ['normal', 'important'];
  if (mayBeUrgent || form.urgency === 'urgent') offered.push('urgent');
  return (
    <Field label={composer.urgency} problem={problems.urgency}>
      {(control) => (
        <select
          {...control}
          name="urgency"
          value={form.urgency}
          onChange={(event) => change({ urgency: event.target.value as Urgency })}
        >
          {offered.map((urgency) => (
            <option key={urgency} value={urgency}>
              {messages.urgencies[urgency]}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

const VERIFICATIONS: Verification[] = ['confirmed', 'developing', 'unverified'];

function VerificationField({ form, problems, change }: Props) {
  return (
    <Field label={composer.verification} problem={problems.verification}>
      {(control) => (
        <select
          {...control}
          name="verification"
          value={form.verification}
          onChange={(event) => change({ verification: event.target.value as Verification })}
        >
          {VERIFICATIONS.map((verification) => (
            <option key={verification} value={verification}>
              {composer.verifications[verification]}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function OccurredField({ form, problems, isSending, timeZone, change }: Props) {
  const note = clockNote(form.occurred_at, timeZone);
  return (
    <>
      <Field
        label={composer.occurred_at(timeZone)}
        help={composer.occurredHelp}
        problem={problems.occurred_at}
      >
        {(control) => (
          <input
            {...control}
            type="datetime-local"
            name="occurred_at"
            readOnly={isSending}
            value={form.occurred_at}
            onChange={(event) => change({ occurred_at: event.target.value })}
          />
        )}
      </Field>
      <p className="status" role="status">
        {note}
      </p>
    </>
  );
}
