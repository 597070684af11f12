import { type ComponentType, type RefObject, useState } from 'react';
import { insertTable, PRESET_ALIGNMENT } from '../../lib/domain/body/edit.ts';
import { TABLE_PRESETS, type TablePreset } from '../../lib/domain/body/table-presets.ts';
import { useMessages } from '../desk/messages.tsx';
import type { FieldsProps } from './MoreFields.tsx';
import type { TableGridProps } from './TableGrid.tsx';
import { selectionIn, typeInto } from './typing.ts';

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
