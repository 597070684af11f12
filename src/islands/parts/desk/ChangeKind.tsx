import { useId, useState } from 'react';
import { desk as words } from '../../../lib/text/desk.ts';
import { Field } from './Field.tsx';

const KINDS = ['revision', 'clarification', 'correction'] as const;

/** What kind of change is made to a published update, and the note that readers see of it. */
export function ChangeKind({ problem }: { problem?: string }) {
  const [kind, setKind] = useState<(typeof KINDS)[number]>('revision');
  const name = useId();
  return (
    <fieldset className="change-kind">
      <legend>{words.change.kind}</legend>
      {KINDS.map((each) => (
        <p className="field check" key={each}>
          <label htmlFor={`${name}-${each}`}>
            <input
              type="radio"
              id={`${name}-${each}`}
              name="as"
              value={each}
              checked={kind === each}
              onChange={() => setKind(each)}
            />{' '}
            {words.change[each]}
          </label>
        </p>
      ))}
      {kind !== 'revision' && (
        <Field label={words.change.note} help={words.change.noteHelp} problem={problem}>
          {(control) => <textarea {...control} name="note" rows={2} required />}
        </Field>
      )}
    </fieldset>
  );
}
