import { type ComponentProps, Fragment, type ReactNode } from 'react';
import { type Run, type Table, textOf } from '../../lib/domain/body/blocks.ts';
import { shareOf, stateOf } from '../../lib/domain/body/table-presets.ts';
import { machineTime } from '../../lib/domain/time.ts';
import type { Messages } from '../../lib/i18n/messages.ts';

/** Blocks, items and runs have no ids, so their position is the key. */
export const keyOf = (index: number) => `${index}`;

/** Renders text with its formatting. */
export function Runs({ runs }: { runs: Run[] }) {
  return runs.map((run, index) => <Fragment key={keyOf(index)}>{styled(run)}</Fragment>);
}

function styled({ text, bold, italic, link }: Run): ReactNode {
  let words: ReactNode = text;
  if (italic) words = <em>{words}</em>;
  if (bold) words = <strong>{words}</strong>;
  return link ? <a href={link}>{words}</a> : words;
}

type TableProps = {
  messages: Messages['reader'];
  table: Table;
  /** Writes the time of the data. Default: in UTC, as machines read it. */
  formatTime?: (at: string) => string;
};

/** Scrolls sideways where it is wider than the page, also by keyboard. */
export function DataTable({ table, ...times }: TableProps) {
  const { rows, align, caption, preset } = table;
  const classOf = (column: number) => (align?.[column] === 'start' ? undefined : align?.[column]);
  return (
    <figure className={preset === 'score' ? 'table score' : 'table'}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls the area that has the focus */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset groups controls */}
      <div role="group" aria-label={caption ?? rows[0]?.map(textOf).join(', ')} tabIndex={0}>
        <Rows
          table={table}
          name={(column) => ({ className: classOf(column) })}
          cell={(column, runs) => cellOf(preset, column, runs, classOf(column))}
        />
      </div>
      <TableNote table={table} {...times} />
    </figure>
  );
}

/** Aligns with the attribute, because feed readers remove classes and styles. */
export function PlainTable({ table, direction, ...times }: TableProps & { direction: 'ltr' | 'rtl' }) {
  const sides = { start: undefined, center: 'center', end: direction === 'rtl' ? 'left' : 'right' } as const;
  const alignOf = (column: number) => ({ align: sides[table.align?.[column] ?? 'start'] });
  return (
    <figure>
      <Rows
        table={table}
        name={alignOf}
        cell={(column, runs) => ({ ...alignOf(column), children: <Runs runs={runs} /> })}
      />
      <TableNote table={table} {...times} />
    </figure>
  );
}

type RowsProps = {
  table: Table;
  /** Returns the properties of the name of a column. */
  name(column: number): ComponentProps<'th'>;
  /** Returns the properties of a cell. */
  cell(column: number, runs: Run[]): ComponentProps<'td'>;
};

/** Without names of columns the table has no head. */
function Rows({
  table: {
    rows: [names = [], ...rows],
    caption,
  },
  name,
  cell,
}: RowsProps) {
  const isNamed = names.some((runs) => runs.length > 0);
  return (
    <table>
      {caption && <caption>{caption}</caption>}
      {isNamed && (
        <thead>
          <tr>
            {names.map((runs, column) => (
              <th key={keyOf(column)} scope="col" {...name(column)}>
                <Runs runs={runs} />
              </th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map((cells, row) => (
          <tr key={keyOf(row)}>
            {cells.map((runs, column) => (
              <td key={keyOf(column)} {...cell(column, runs)} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/**
 * Returns the properties of a cell in the form of its preset: a share has a bar, the word of a closed place stands
 * out. The first cell of a row names it.
 */
function cellOf(
  preset: Table['preset'],
  column: number,
  runs: Run[],
  className?: string,
): ComponentProps<'td'> {
  const words = <Runs runs={runs} />;
  const share = preset === 'results' && column > 0 ? shareOf(textOf(runs)) : undefined;
  if (share !== undefined) {
    return {
      className: className ? `percent ${className}` : 'percent',
      children: (
        <>
          {words}
          <svg width={`${share}%`} height="0" aria-hidden="true" />
        </>
      ),
    };
  }
  const isOfPlaces = preset === 'closures' || preset === 'shelters';
  const state = isOfPlaces && column > 0 ? stateOf(textOf(runs)) : undefined;
  return { className, children: state ? <b className={state}>{words}</b> : words };
}

/** Source and time of the data, and whether it is no longer updated. */
function TableNote({ table: { source, as_of, stale }, messages, formatTime = machineTime }: TableProps) {
  if (!source && !as_of) return null;
  const time = as_of && <time dateTime={as_of}>{formatTime(as_of)}</time>;
  return (
    <figcaption>
      {source && <cite>{source}</cite>}
      {source && time && ' · '}
      {time && !stale && (
        <>
          {messages.asOf} {time}
        </>
      )}
      {time && stale && (
        <b>
          {messages.stale.before} {time}
          {messages.stale.after}
        </b>
      )}
    </figcaption>
  );
}
