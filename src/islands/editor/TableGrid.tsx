import { type ComponentProps, type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { TableReading } from '../../lib/data/unfurl.ts';
import { plainCells, replaceTable, type TableSource, tablesIn } from '../../lib/domain/body/edit.ts';
import { presetNamed, TABLE_PRESETS, type TablePreset } from '../../lib/domain/body/table-presets.ts';
import { LIMITS } from '../../lib/domain/limits.ts';
import { localTime } from '../../lib/domain/local-time.ts';
import type { DeskUpdate } from '../../lib/domain/updates.ts';
import type { Desk } from '../desk/desk.ts';
import { useMessages } from '../desk/messages.tsx';
import { Field } from '../shared/Field.tsx';
import { CsvField, useTableReadings } from './CsvField.tsx';
import type { FieldsProps } from './MoreFields.tsx';

export type TableGridProps = Pick<FieldsProps, 'isReadOnly' | 'language' | 'change'> & {
  /** The text that contains the tables as Markdown. */
  text: string;
  timeZone: string;
  desk: Pick<Desk, 'backend'>;
  /** The saved update; undefined for a new one. */
  before: DeskUpdate | undefined;
};

/** The tables of a text for editing by cell. */
export function TableGrid(props: TableGridProps) {
  const tables = useMemo(() => tablesIn(props.text), [props.text]);
  const { before } = props;
  const isRead = before?.state === 'published' && tables.some(({ fields }) => fields.csv);
  const readings = useTableReadings(props.desk, isRead ? before : undefined);
  return tables.map((table, index) => (
    <TableEditor key={keyOf(index)} {...props} table={table} index={index} readings={readings} />
  ));
}

/** Tables, rows and cells have no ids, so their position is the key. */
const keyOf = (index: number) => `${index}`;

type TableEditorProps = TableGridProps & {
  table: TableSource;
  /** Position of the table, from 0. */
  index: number;
  readings: TableReading[];
};

/** A cell by row and column. The names of the columns are row 0. */
type CellPosition = { row: number; column: number };

/** One table: its cells, the lines below it, and buttons for the row and column of the last focused cell. */
function TableEditor({
  table,
  index,
  readings,
  desk,
  text,
  isReadOnly,
  language,
  change,
  timeZone,
}: TableEditorProps) {
  const { tables } = useMessages().composer;
  const { cells, align, fields } = table;
  const grid = useRef<HTMLTableElement>(null);
  /** The cell to focus once it is rendered. */
  const next = useRef<CellPosition | null>(null);
  const [focused, setFocused] = useState<CellPosition>({ row: 1, column: 0 });
  const [announcement, setAnnouncement] = useState('');
  const names = (cells[0] ?? []).map((name, column) => name || tables.column(column + 1));
  const row = Math.min(focused.row, cells.length - 1);
  const column = Math.min(focused.column, names.length - 1);
  const save = (part: Partial<TableSource>) => {
    if (!isReadOnly) change({ body: replaceTable(text, { ...table, ...part }) });
  };
  useEffect(() => {
    if (next.current && focusCell(grid.current, next.current)) next.current = null;
  });

  const addRow = (after: number, from: CellPosition) => {
    if (isReadOnly || cells.length > LIMITS.table_rows) return;
    next.current = { row: after + 1, column: from.column };
    save({
      cells: cells.toSpliced(
        after + 1,
        0,
        names.map(() => ''),
      ),
    });
    setAnnouncement(tables.rowAdded(after + 1));
  };
  const removeRow = () => {
    if (isReadOnly || row === 0 || cells.length <= 2) return;
    next.current = { row: Math.min(row, cells.length - 2), column };
    save({ cells: cells.toSpliced(row, 1) });
    setAnnouncement(tables.rowRemoved(row));
  };
  const addColumn = () => {
    if (isReadOnly || names.length >= LIMITS.table_columns) return;
    next.current = { row: 0, column: column + 1 };
    save({
      cells: cells.map((line) => line.toSpliced(column + 1, 0, '')),
      align: align.toSpliced(column + 1, 0, 'start'),
    });
    setAnnouncement(tables.columnAdded(column + 2));
  };
  const removeColumn = () => {
    if (isReadOnly || names.length <= 1) return;
    next.current = { row, column: Math.min(column, names.length - 2) };
    save({ cells: cells.map((line) => line.toSpliced(column, 1)), align: align.toSpliced(column, 1) });
    setAnnouncement(tables.columnRemoved(names[column] ?? ''));
  };
  const onKeyDown = (event: KeyboardEvent, place: CellPosition) => {
    const { key, ctrlKey, metaKey, altKey, nativeEvent } = event;
    if (ctrlKey || metaKey || altKey || nativeEvent.isComposing) return;
    const step = key === 'ArrowUp' ? -1 : key === 'ArrowDown' || key === 'Enter' ? 1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const to = { ...place, row: place.row + step };
    if (key === 'Enter' && to.row === cells.length) addRow(place.row, place);
    else focusCell(grid.current, to);
  };
  const actions = [
    {
      name: 'addRow',
      label: tables.addRow(row),
      run: () => addRow(row, focused),
      isOff: cells.length > LIMITS.table_rows,
    },
    {
      name: 'removeRow',
      label: tables.removeRow(row),
      run: removeRow,
      isOff: row === 0 || cells.length <= 2,
    },
    {
      name: 'addColumn',
      label: tables.addColumn(names[column] ?? ''),
      run: addColumn,
      isOff: names.length >= LIMITS.table_columns,
    },
    {
      name: 'removeColumn',
      label: tables.removeColumn(names[column] ?? ''),
      run: removeColumn,
      isOff: names.length <= 1,
    },
  ] as const;
  return (
    <fieldset className="table-editor">
      <legend>{fields.caption || tables.table(index + 1)}</legend>
      <div className="table-grid">
        <table ref={grid}>
          <tbody>
            {cells.map((line, rowIndex) => (
              <tr key={keyOf(rowIndex)}>
                {line.map((cell, columnIndex) => {
                  const place = { row: rowIndex, column: columnIndex };
                  return (
                    <td key={keyOf(columnIndex)}>
                      <LineInput
                        aria-label={
                          rowIndex === 0
                            ? tables.columnName(columnIndex + 1)
                            : tables.cell(names[columnIndex] ?? '', rowIndex)
                        }
                        className={rowIndex === 0 ? 'name' : undefined}
                        lang={language}
                        text={cell}
                        isReadOnly={isReadOnly}
                        onFocus={() => setFocused(place)}
                        onKeyDown={(event) => onKeyDown(event, place)}
                        onText={(typed) => save({ cells: withCell(cells, place, typed) })}
                      />
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="help">{tables.keys}</p>
      <p className="actions">
        {actions.map(({ name, label, run, isOff }) => (
          <button
            key={name}
            type="button"
            className="quiet"
            aria-label={label}
            aria-disabled={isReadOnly || isOff || undefined}
            onClick={run}
          >
            {tables.actions[name]}
          </button>
        ))}
      </p>
      <p className="visually-hidden" role="status">
        {announcement}
      </p>
      <TableLines
        {...{ fields, isReadOnly, language, timeZone }}
        save={(part) => save({ fields: { ...fields, ...part } })}
      />
      <CsvField
        {...{ desk, isReadOnly, timeZone }}
        address={fields.csv ?? ''}
        reading={readings.find(({ csv }) => csv === fields.csv)}
        type={(csv) => save({ fields: { ...fields, csv } })}
        fill={(rows) =>
          save({
            cells: plainCells(rows),
            // With other columns the alignments belong to none of them.
            align: rows[0]?.length === align.length ? align : (rows[0]?.map(() => 'start' as const) ?? []),
            fields: { ...fields, as_of: nowIn(timeZone) },
          })
        }
      />
    </fieldset>
  );
}

/** Returns whether the grid has the cell. */
function focusCell(grid: HTMLTableElement | null, { row, column }: CellPosition): boolean {
  const field = grid?.rows[row]?.cells[column]?.querySelector('input');
  field?.focus();
  field?.select();
  return Boolean(field);
}

const withCell = (cells: string[][], { row, column }: CellPosition, text: string) =>
  cells.map((line, index) => (index === row ? line.with(column, text) : line));

type LineInputProps = Omit<ComponentProps<'input'>, 'value' | 'onChange'> & {
  text: string;
  isReadOnly: boolean;
  onText(text: string): void;
};

/**
 * A line of the text. While it has the focus it shows what was typed, because the text has no white space at its end.
 */
function LineInput({ text, isReadOnly, onText, ...props }: LineInputProps) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <input
      autoComplete="off"
      dir="auto"
      {...props}
      readOnly={isReadOnly}
      value={typed ?? text}
      onChange={({ target: { value } }) => {
        setTyped(value);
        onText(value);
      }}
      onBlur={() => setTyped(null)}
    />
  );
}

type TableLinesProps = Pick<TableEditorProps, 'isReadOnly' | 'language' | 'timeZone'> & {
  fields: TableSource['fields'];
  save(part: TableSource['fields']): void;
};

/** The lines below a table: caption, source, time of the data, and kind. */
function TableLines({ fields, isReadOnly, language, timeZone, save }: TableLinesProps) {
  const messages = useMessages();
  const { tables } = messages.composer;
  const { presets } = messages.corrections.difference;
  const preset = presetNamed(fields.preset ?? '');
  return (
    <>
      {(['caption', 'source'] as const).map((field) => (
        <Field key={field} label={tables[field]}>
          {(control) => (
            <LineInput
              {...control}
              lang={language}
              text={fields[field] ?? ''}
              isReadOnly={isReadOnly}
              onText={(typed) => save({ [field]: typed })}
            />
          )}
        </Field>
      ))}
      <Field label={tables.asOf(timeZone)}>
        {(control) => (
          <input
            {...control}
            type="datetime-local"
            readOnly={isReadOnly}
            value={localValue(fields.as_of ?? '', timeZone)}
            onChange={({ target: { value } }) => save({ as_of: value.replace('T', ' ') })}
          />
        )}
      </Field>
      <p className="actions">
        <button
          type="button"
          aria-disabled={isReadOnly || undefined}
          aria-label={`${tables.asOf(timeZone)}: ${tables.now}`}
          onClick={() => save({ as_of: nowIn(timeZone) })}
        >
          {tables.now}
        </button>
      </p>
      <Field label={tables.kind} help={preset && tables.help[preset]}>
        {(control) => (
          <select
            {...control}
            disabled={isReadOnly}
            value={preset ?? ''}
            onChange={({ target: { value } }) =>
              save({ preset: presets[value as TablePreset]?.toLowerCase() ?? '' })
            }
          >
            <option value="">{tables.plain}</option>
            {TABLE_PRESETS.map((name) => (
              <option key={name} value={name}>
                {presets[name]}
              </option>
            ))}
          </select>
        )}
      </Field>
    </>
  );
}

/** The current time as written below a table. */
const nowIn = (timeZone: string) => localTime(new Date().toISOString(), timeZone).replace('T', ' ');

/** The value of a date and time field for a time as written below a table. */
function localValue(written: string, timeZone: string): string {
  if (written.endsWith('Z') && !Number.isNaN(Date.parse(written))) return localTime(written, timeZone);
  return written.replace(/\s+/, 'T');
}
