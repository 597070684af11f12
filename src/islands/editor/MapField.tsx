import { type RefObject, useRef, useState } from 'react';
import { parseCoordinates } from '../../lib/domain/body/coordinates.ts';
import { insertBelow } from '../../lib/domain/body/edit.ts';
import { writeBody } from '../../lib/domain/body/write-source.ts';
import { useMessages } from '../desk/messages.tsx';
import { Field } from '../shared/Field.tsx';
import { onEnter, selectionIn, typeInto } from './typing.ts';

type Props = {
  /** The text field that receives the map. */
  area: RefObject<HTMLTextAreaElement | null>;
  isReadOnly: boolean;
  /** Language of the coverage. */
  language: string;
};

type Problems = { name?: string; coordinates?: string };

const EMPTY = { name: '', coordinates: '' };

/** Fields that insert a map below the caret's line. The typed text stays until it is valid. */
export function MapField({ area, isReadOnly, language }: Props) {
  const messages = useMessages().composer.map;
  const fields = { name: useRef<HTMLInputElement>(null), coordinates: useRef<HTMLInputElement>(null) };
  const [typed, setTyped] = useState(EMPTY);
  const [problems, setProblems] = useState<Problems>({});
  const [added, setAdded] = useState('');
  const change = (part: Partial<typeof EMPTY>) => {
    setTyped({ ...typed, ...part });
    setProblems({});
  };

  const add = () => {
    if (isReadOnly || !area.current) return;
    const name = typed.name.trim();
    const found = parseCoordinates(typed.coordinates);
    setAdded('');
    if (!name || !found) {
      setProblems({
        ...(!name && { name: messages.nameMissing }),
        ...(!found && { coordinates: messages.noCoordinates }),
      });
      fields[name ? 'coordinates' : 'name'].current?.focus();
      return;
    }
    const map = writeBody([{ type: 'map', name, ...found }]);
    typeInto(area.current, insertBelow(selectionIn(area.current), map));
    setTyped(EMPTY);
    setAdded(messages.added(name));
  };
  const onKeyDown = onEnter(add);
  return (
    <details className="map-field">
      <summary>{messages.title}</summary>
      <Field label={messages.name} problem={problems.name}>
        {(control) => (
          <input
            {...control}
            ref={fields.name}
            lang={language}
            dir="auto"
            autoComplete="off"
            readOnly={isReadOnly}
            value={typed.name}
            onChange={(event) => change({ name: event.target.value })}
            onKeyDown={onKeyDown}
          />
        )}
      </Field>
      <Field label={messages.coordinates} help={messages.coordinatesHelp} problem={problems.coordinates}>
        {(control) => (
          <input
            {...control}
            ref={fields.coordinates}
            dir="ltr"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            readOnly={isReadOnly}
            value={typed.coordinates}
            onChange={(event) => change({ coordinates: event.target.value })}
            onKeyDown={onKeyDown}
          />
        )}
      </Field>
      <p className="actions">
        <button type="button" aria-disabled={isReadOnly || undefined} onClick={add}>
          {messages.add}
        </button>
      </p>
      <p className="status" role="status">
        {added}
      </p>
    </details>
  );
}
