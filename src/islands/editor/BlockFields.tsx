import { type ComponentType, type RefObject, useRef, useState } from 'react';
import { parseCoordinates } from '../../lib/domain/body/coordinates.ts';
import { insertBelow, insertTable, PRESET_ALIGNMENT } from '../../lib/domain/body/edit.ts';
import { TABLE_PRESETS, type TablePreset } from '../../lib/domain/body/table-presets.ts';
import { writeBody } from '../../lib/domain/body/write-source.ts';
import { useMessages } from '../desk/messages.tsx';
import { Field } from '../shared/Field.tsx';
import type { FieldsProps } from './MoreFields.tsx';
import type { TableGridProps } from './TableGrid.tsx';
import { onEnter, selectionIn, typeInto } from './typing.ts';

type MapFieldProps = {
  /** The text field that receives the map. */
  area: RefObject<HTMLTextAreaElement | null>;
  isReadOnly: boolean;
  /** Language of the coverage. */
  language: string;
};

type Problems = { name?: string; coordinates?: string };

const EMPTY = { name: '', coordinates: '' };

/** Fields that insert a map below the caret's line. The typed text stays until it is valid. */
export function MapField({ area, isReadOnly, language }: MapFieldProps) {
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

type TableFieldProps = Pick<FieldsProps, 'form' | 'isReadOnly' | 'language' | 'change'> & {
  /** The text field that contains the tables as Markdown. */
  area: RefObject<HTMLTextAreaElement | null>;
} & Pick<TableGridProps, 'timeZone' | 'desk' | 'before'>;

/**
 * Buttons that insert prepared tables, and the tables of the text for editing by cell. The grid is loaded when it is
 * opened. If it cannot be loaded, the text above has the same tables.
 */
export function TableField({ area, form, isReadOnly, ...props }: TableFieldProps) {
  const messages = useMessages();
  const { tables } = messages.composer;
  const { presets } = messages.corrections.difference;
  const [isOpen, setOpen] = useState(false);
  const [Grid, setGrid] = useState<ComponentType<TableGridProps>>();
  const toggle = (opens: boolean) => {
    setOpen(opens);
    if (!opens || Grid) return;
    import('./TableGrid.tsx').then(({ TableGrid }) => setGrid(() => TableGrid)).catch(() => undefined);
  };
  const insert = (preset: TablePreset) => {
    if (!area.current) return;
    const lines = [`= ${presets[preset].toLowerCase()}`];
    const { [preset]: names } = tables.columns;
    typeInto(area.current, insertTable(selectionIn(area.current), names, PRESET_ALIGNMENT[preset], lines));
  };
  return (
    <details className="table-field" onToggle={(event) => toggle(event.currentTarget.open)}>
      <summary>{tables.title}</summary>
      <fieldset className="table-kinds">
        <legend>{tables.insert}</legend>
        <div className="actions">
          {TABLE_PRESETS.map((preset) => (
            <button
              key={preset}
              type="button"
              title={tables.help[preset]}
              aria-disabled={isReadOnly || undefined}
              onClick={() => !isReadOnly && insert(preset)}
            >
              {presets[preset]}
            </button>
          ))}
        </div>
      </fieldset>
      {isOpen && Grid && <Grid {...props} text={form.body} isReadOnly={isReadOnly} />}
    </details>
  );
}
