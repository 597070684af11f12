import type { Body } from '../../../lib/body/blocks.ts';
import { bodyText } from '../../../lib/body/text.ts';
import { characters, type FormField, type FormProblems, type UpdateForm } from '../../../lib/desk/form.ts';
import type { Urgency } from '../../../lib/desk/update.ts';
import { LIMITS } from '../../../lib/limits.ts';
import { desk as words } from '../../../lib/text/desk.ts';
import { Field } from './Field.tsx';

type Props = {
  form: UpdateForm;
  /** The body as it is read from the form. */
  body: Body;
  problems: FormProblems;
  /** Only an editor raises an update to urgent. */
  mayBeUrgent: boolean;
  /** A heading above says what this is. */
  isHeaded: boolean;
  change: (part: Partial<UpdateForm>) => void;
};

/** All that an update is made of: the words first, the rest behind a disclosure. */
export function EditorFields({ form, body, problems, mayBeUrgent, isHeaded, change }: Props) {
  const length = characters(bodyText(body));
  return (
    <>
      <Field label={words.composer.body} problem={problems.body} isHeaded={isHeaded}>
        {(control) => (
          <textarea
            {...control}
            name="body"
            rows={3}
            value={form.body}
            onChange={(event) => change({ body: event.target.value })}
          />
        )}
      </Field>
      {length > 0 && <p className="help count">{words.composer.count(length, LIMITS.body_characters)}</p>}
      <details className="more-fields" open={hasMoreProblems(problems) || undefined}>
        <summary>{words.composer.more}</summary>
        <p className="help">{words.composer.bodyHelp}</p>
        <TextField
          name="headline"
          form={form}
          problems={problems}
          change={change}
          help={words.composer.headlineHelp}
        />
        <p className="field check">
          <label>
            <input
              type="checkbox"
              name="key_event"
              checked={form.key_event}
              onChange={(event) => change({ key_event: event.target.checked })}
            />{' '}
            {words.composer.key_event}
          </label>
        </p>
        <UrgencyField form={form} problem={problems.urgency} mayBeUrgent={mayBeUrgent} change={change} />
        <TextField
          name="attribution"
          form={form}
          problems={problems}
          change={change}
          help={words.composer.attributionHelp}
        />
        <TextField
          name="dateline"
          form={form}
          problems={problems}
          change={change}
          help={words.composer.datelineHelp}
        />
        <TextField
          name="desk_note"
          form={form}
          problems={problems}
          change={change}
          help={words.composer.deskNoteHelp}
        />
      </details>
    </>
  );
}

function hasMoreProblems(problems: FormProblems): boolean {
  return Object.keys(problems).some((field) => field !== 'body');
}

type TextProps = {
  name: Extract<FormField, 'headline' | 'attribution' | 'dateline' | 'desk_note'>;
  form: UpdateForm;
  problems: FormProblems;
  help: string;
  change: Props['change'];
};

function TextField({ name, form, problems, help, change }: TextProps) {
  return (
    <Field label={words.composer[name]} help={help} problem={problems[name]}>
      {(control) => (
        <input
          {...control}
          name={name}
          value={form[name]}
          onChange={(event) => change({ [name]: event.target.value })}
        />
      )}
    </Field>
  );
}

type UrgencyProps = { form: UpdateForm; problem?: string; mayBeUrgent: boolean; change: Props['change'] };

function UrgencyField({ form, problem, mayBeUrgent, change }: UrgencyProps) {
  const offered: Urgency[] = ['normal', 'important'];
  if (mayBeUrgent || form.urgency === 'urgent') offered.push('urgent');
  return (
    <Field label={words.composer.urgency} problem={problem}>
      {(control) => (
        <select
          {...control}
          name="urgency"
          value={form.urgency}
          onChange={(event) => change({ urgency: event.target.value as Urgency })}
        >
          {offered.map((urgency) => (
            <option key={urgency} value={urgency}>
              {words.urgencies[urgency]}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
