import { type ReactNode, useId, useRef, useState } from 'react';
import { clockNote } from '../../lib/data/scheduling.ts';
import type { FormField, FormProblems, UpdateForm } from '../../lib/data/update-form.ts';
import { LIMITS } from '../../lib/domain/limits.ts';
import { localTime } from '../../lib/domain/local-time.ts';
import type { DeskUpdate, Urgency, Verification } from '../../lib/domain/updates.ts';
import type { Desk } from '../desk/desk.ts';
import type { Names } from '../desk/hooks.ts';
import { useMessages } from '../desk/messages.tsx';
import type { EditedUpdate } from '../outbox/entries.ts';
import { Field } from '../shared/Field.tsx';
import { useShared } from '../shared/use-shared.ts';
import { rememberedDateline } from './draft-store.ts';
import { FilledFields } from './SaveResult.tsx';
import { onEnter } from './typing.ts';

type BylinesFieldProps = {
  chosen: string[];
  names: Names;
  /**
   * Whether the update is new. Without a choice the writer is the byline of a new update; otherwise the stored author
   * is.
   */
  isNew: boolean;
  problem?: string;
  isReadOnly: boolean;
  change(ids: string[]): void;
};

/** Choice and order of bylines, when they differ from the author. */
function BylinesField({ chosen, names, isNew, problem, isReadOnly, change }: BylinesFieldProps) {
  const messages = useMessages();
  const { bylines } = messages.composer;
  const [picked, setPicked] = useState('');
  const [announcement, setAnnouncement] = useState('');
  const id = useId();
  const picker = useRef<HTMLSelectElement>(null);
  const nameOf = (person: string) => names.known.get(person)?.display_name ?? bylines.unknown;
  const offered = [...names.known.values()].filter((person) => !chosen.includes(person.id));

  const add = () => {
    if (picked === '' || isReadOnly) return;
    change([...chosen, picked]);
    setAnnouncement(bylines.added(nameOf(picked)));
    setPicked('');
  };
  const remove = (person: string) => {
    change(chosen.filter((other) => other !== person));
    setAnnouncement(bylines.removed(nameOf(person)));
    picker.current?.focus();
  };
  const moveUp = (index: number) => {
    const [person] = chosen.slice(index);
    if (person) change(chosen.toSpliced(index, 1).toSpliced(index - 1, 0, person));
  };
  return (
    <fieldset className="bylines" aria-describedby={chosen.length === 0 ? `${id}-self` : undefined}>
      <legend>{bylines.title}</legend>
      {chosen.length === 0 && (
        <p className="help" id={`${id}-self`}>
          {isNew ? bylines.self : bylines.author}
        </p>
      )}
      <ol>
        {chosen.map((person, index) => (
          <li key={person}>
            <span>{nameOf(person)}</span>
            {index > 0 && (
              <button
                type="button"
                aria-label={bylines.about(bylines.earlier, nameOf(person))}
                aria-disabled={isReadOnly || undefined}
                onClick={() => !isReadOnly && moveUp(index)}
              >
                {bylines.earlier}
              </button>
            )}
            <button
              type="button"
              aria-label={bylines.about(bylines.takeOut, nameOf(person))}
              aria-disabled={isReadOnly || undefined}
              onClick={() => !isReadOnly && remove(person)}
            >
              {bylines.takeOut}
            </button>
          </li>
        ))}
      </ol>
      <Field label={bylines.choose} problem={problem} help={names.isMissing ? bylines.notNow : undefined}>
        {(control) => (
          <select
            {...control}
            ref={picker}
            value={picked}
            disabled={chosen.length >= LIMITS.bylines}
            onChange={(event) => setPicked(event.target.value)}
          >
            <option value="">{bylines.chooseName}</option>
            {offered.map((person) => (
              <option key={person.id} value={person.id}>
                {person.display_name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <p className="actions">
        <button type="button" aria-disabled={picked === '' || isReadOnly || undefined} onClick={add}>
          {bylines.add}
        </button>
      </p>
      <p className="visually-hidden" role="status">
        {announcement}
      </p>
    </fieldset>
  );
}

export type FieldsProps = {
  form: UpdateForm;
  problems: FormProblems;
  /** Whether the fields hold content that is being sent. */
  isReadOnly: boolean;
  /** Language of the coverage, for spelling checkers and screen readers. */
  language: string;
  change: (part: Partial<UpdateForm>) => void;
};

type MoreFieldsProps = FieldsProps & {
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

const URGENCIES: Urgency[] = ['normal', 'important'];
const VERIFICATIONS: Verification[] = ['confirmed', 'developing', 'unverified'];

/** Fields that few updates need, collapsible. While they are collapsed, their values are listed. */
export function MoreFields(props: MoreFieldsProps) {
  const messages = useMessages();
  const { form, problems, names, change } = props;
  const [isOpen, setOpen] = useState(false);
  const offersUrgent = props.mayBeUrgent || form.urgency === 'urgent';
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
        <summary>{messages.composer.more}</summary>
        {props.library}
        <ChoiceField
          name="urgency"
          problem={problems.urgency}
          value={form.urgency}
          choices={offersUrgent ? [...URGENCIES, 'urgent'] : URGENCIES}
          names={messages.desk.urgencies}
          onChange={(urgency) => change({ urgency })}
        />
        <ChoiceField
          name="verification"
          problem={problems.verification}
          value={form.verification}
          choices={VERIFICATIONS}
          names={messages.composer.verifications}
          onChange={(verification) => change({ verification })}
        />
        <TextField {...props} name="attribution" help={messages.composer.attributionHelp} />
        <TextField {...props} name="dateline" help={messages.composer.datelineHelp} />
        <OccurredField {...props} />
        <BylinesField
          chosen={form.bylines}
          names={names}
          isNew={!props.before}
          problem={problems.bylines}
          isReadOnly={props.isReadOnly}
          change={(bylines) => change({ bylines })}
        />
        <TextField {...props} name="desk_note" help={messages.composer.deskNoteHelp} />
      </details>
      {!isOpen && <FilledFields form={form} names={names.known} />}
    </>
  );
}

const ELSEWHERE = ['headline', 'body', 'note', 'photos', 'scheduled_for'];

function hasMoreProblems(problems: FormProblems): boolean {
  return Object.keys(problems).some((field) => !ELSEWHERE.includes(field));
}

type TextProps = MoreFieldsProps & {
  name: Extract<FormField, 'attribution' | 'dateline' | 'desk_note'>;
  help: string;
};

function TextField({ name, help, form, problems, isReadOnly, language, change }: TextProps) {
  const messages = useMessages();
  const control = { name, value: form[name], lang: language, dir: 'auto', readOnly: isReadOnly };
  return (
    <Field label={messages.composer[name]} help={help} problem={problems[name]}>
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

type ChoiceProps<Choice extends string> = {
  name: Extract<FormField, 'urgency' | 'verification'>;
  problem: string | undefined;
  value: Choice;
  choices: Choice[];
  names: Record<Choice, string>;
  onChange(choice: Choice): void;
};

function ChoiceField<Choice extends string>(props: ChoiceProps<Choice>) {
  const { name, problem, value, choices, names, onChange } = props;
  const messages = useMessages();
  return (
    <Field label={messages.composer[name]} problem={problem}>
      {(control) => (
        <select
          {...control}
          name={name}
          value={value}
          onChange={(event) => onChange(event.target.value as Choice)}
        >
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {names[choice]}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function OccurredField({ form, problems, isReadOnly, timeZone, change }: MoreFieldsProps) {
  const messages = useMessages();
  const note = clockNote(messages, form.occurred_at, timeZone);
  return (
    <>
      <Field
        label={messages.composer.occurred_at(timeZone)}
        help={messages.composer.occurredHelp}
        problem={problems.occurred_at}
      >
        {(control) => (
          <input
            {...control}
            type="datetime-local"
            name="occurred_at"
            readOnly={isReadOnly}
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

type ScheduleFieldProps = {
  desk: Pick<Desk, '$coverage'>;
  before?: DeskUpdate;
  problem?: string;
  sending: boolean;
};

/** Publication time in the coverage's time zone, with its own button. */
export function ScheduleField({ desk, before, problem, sending }: ScheduleFieldProps) {
  const messages = useMessages();
  const { time_zone } = useShared(desk.$coverage);
  const at = before?.scheduled_for;
  const [time, setTime] = useState(at ? localTime(at, time_zone) : '');
  // Enter would press the form's first button, which publishes.
  const onKeyDown = onEnter<HTMLInputElement>(({ form }) =>
    form?.requestSubmit(form.querySelector<HTMLElement>('button[value="schedule"]')),
  );
  return (
    <details className="schedule" open={problem !== undefined || undefined}>
      <summary>{at ? messages.desk.schedule.otherTime : messages.desk.schedule.later}</summary>
      <Field
        label={messages.desk.schedule.at(time_zone)}
        help={messages.desk.schedule.help}
        problem={problem}
      >
        {(control) => (
          <input
            {...control}
            type="datetime-local"
            name="at"
            value={time}
            onChange={(event) => setTime(event.target.value)}
            onKeyDown={onKeyDown}
          />
        )}
      </Field>
      <p className="status" role="status">
        {clockNote(messages, time, time_zone)}
      </p>
      <div className="actions">
        <button type="submit" name="saving" value="schedule" aria-disabled={sending || undefined}>
          {messages.desk.saving.schedule}
        </button>
      </div>
    </details>
  );
}

/**
 * Gives a new update the last dateline. It is added with the first change, because a dateline alone is not stored.
 * @returns a function that adds the dateline to a change
 */
export function useDateline(desk: Pick<Desk, 'person' | '$coverage'>, { id, before, form }: EditedUpdate) {
  /** Id of the update whose dateline was set by a first change or by hand. */
  const settledId = useRef<string | null>(null);
  const remembered = rememberedDateline(desk.person.id, desk.$coverage.get().id);
  return (part: Partial<UpdateForm>): Partial<UpdateForm> => {
    const isUnset = !before && form.dateline === '' && settledId.current !== id;
    settledId.current = id;
    if (part.dateline !== undefined) remembered.save(part.dateline);
    const dateline = isUnset ? remembered.read() : '';
    return dateline ? { dateline, ...part } : part;
  };
}
