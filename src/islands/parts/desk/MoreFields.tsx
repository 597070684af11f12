import type { FormField, FormProblems, UpdateForm } from '../../../lib/desk/form.ts';
import type { Urgency } from '../../../lib/desk/update.ts';
import { desk as words } from '../../../lib/text/desk.ts';
import { Field } from './Field.tsx';

export type FieldsProps = {
  form: UpdateForm;
  problems: FormProblems;
  /** It is on its way. */
  isSending: boolean;
  /** The coverage's, for those who check spelling and those who read aloud. */
  language: string;
  change: (part: Partial<UpdateForm>) => void;
};

type Props = FieldsProps & {
  /** Only an editor raises an update to urgent. */
  mayBeUrgent: boolean;
};

/** All that an update is made of beside its words, behind a disclosure. */
export function MoreFields(props: Props) {
  const { form, problems, change } = props;
  return (
    <details open={hasMoreProblems(problems) || undefined}>
      <summary>{words.composer.more}</summary>
      <p className="help">
        {words.composer.bodyHelp} {words.composer.keys}
      </p>
      <TextField {...props} name="headline" help={words.composer.headlineHelp} />
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
      <UrgencyField {...props} />
      <TextField {...props} name="attribution" help={words.composer.attributionHelp} />
      <TextField {...props} name="dateline" help={words.composer.datelineHelp} />
      <TextField {...props} name="desk_note" help={words.composer.deskNoteHelp} />
    </details>
  );
}

function hasMoreProblems(problems: FormProblems): boolean {
  return Object.keys(problems).some((field) => !['body', 'note', 'photos', 'scheduled_for'].includes(field));
}

type TextProps = Props & {
  name: Extract<FormField, 'headline' | 'attribution' | 'dateline' | 'desk_note'>;
  help: string;
};

function TextField({ name, help, form, problems, isSending, language, change }: TextProps) {
  return (
    <Field label={words.composer[name]} help={help} problem={problems[name]}>
      {(control) => (
        <input
          {...control}
          name={name}
          value={form[name]}
          lang={language}
          dir="auto"
          readOnly={isSending}
          onChange={(event) => change({ [name]: event.target.value })}
        />
      )}
    </Field>
  );
}

function UrgencyField({ form, problems, mayBeUrgent, change }: Props) {
  const offered: Urgency[] = ['normal', 'important'];
  if (mayBeUrgent || form.urgency === 'urgent') offered.push('urgent');
  return (
    <Field label={words.composer.urgency} problem={problems.urgency}>
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
