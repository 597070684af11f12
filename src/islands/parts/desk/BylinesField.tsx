import { useId, useRef, useState } from 'react';
import { LIMITS } from '../../../lib/limits.ts';
import { composer } from '../../../lib/text/composer.ts';
import { Field } from './Field.tsx';
import type { Names } from './useNames.ts';

type Props = {
  chosen: string[];
  names: Names;
  /**
   * Whether the update is new. Without a choice the writer is the byline of a new update; otherwise the stored author
   * is.
   */
  isNew: boolean;
  problem?: string;
  isSending: boolean;
  change(ids: string[]): void;
};

/** Choice and order of bylines, when they differ from the author. */
export function BylinesField({ chosen, names, isNew, problem, isSending, change }: Props) {
  const messages = composer.bylines;
  const [picked, setPicked] = useState('');
  const [announcement, setAnnouncement] = useState('');
  const id = useId();
  const picker = useRef<HTMLSelectElement>(null);
  const nameOf = (person: string) => names.known.get(person)?.display_name ?? messages.unknown;
  const offered = [...names.known.values()].filter((person) => !chosen.includes(person.id));

  const add = () => {
    if (picked === '' || isSending) return;
    change([...chosen, picked]);
    setAnnouncement(messages.added(nameOf(picked)));
    setPicked('');
  };
  const remove = (person: string) => {
    change(chosen.filter((other) => other !== person));
    setAnnouncement(messages.takenOut(nameOf(person)));
    picker.current?.focus();
  };
  const moveUp = (index: number) => {
    const [person] = chosen.slice(index);
    if (person) change(chosen.toSpliced(index, 1).toSpliced(index - 1, 0, person));
  };
  return (
    <fieldset className="bylines" aria-describedby={chosen.length === 0 ? `${id}-self` : undefined}>
      <legend>{messages.title}</legend>
      {chosen.length === 0 && (
        <p className="help" id={`${id}-self`}>
          {isNew ? messages.self : messages.author}
        </p>
      )}
      <ol>
        {chosen.map((person, index) => (
          <li key={person}>
            <span>{nameOf(person)}</span>
            {index > 0 && (
              <button
                type="button"
                aria-label={messages.about(messages.earlier, nameOf(person))}
                aria-disabled={isSending || undefined}
                onClick={() => !isSending && moveUp(index)}
              >
                {messages.earlier}
              </button>
            )}
            <button
              type="button"
              aria-label={messages.about(messages.takeOut, nameOf(person))}
              aria-disabled={isSending || undefined}
              onClick={() => !isSending && remove(person)}
            >
              {messages.takeOut}
            </button>
          </li>
        ))}
      </ol>
      <Field label={messages.choose} problem={problem} help={names.isMissing ? messages.notNow : undefined}>
        {(control) => (
          <select
            {...control}
            ref={picker}
            value={picked}
            disabled={chosen.length >= LIMITS.bylines}
            onChange={(event) => setPicked(event.target.value)}
          >
            <option value="">{messages.nobody}</option>
            {offered.map((person) => (
              <option key={person.id} value={person.id}>
                {person.display_name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <p className="actions">
        <button type="button" aria-disabled={picked === '' || isSending || undefined} onClick={add}>
          {messages.add}
        </button>
      </p>
      <p className="visually-hidden" role="status">
        {announcement}
      </p>
    </fieldset>
  );
}
