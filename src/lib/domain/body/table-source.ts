import { type Alignment, plainRows } from './blocks.ts';
import { delimiterRow, rowOf } from './edit.ts';
import { parseTree, sourceOf } from './parse-inline.ts';
import { alignmentOf, type TableFields, tableLines, tableParts } from './parse-table.ts';
import { isUnparsable } from './source.ts';
import { writeBody } from './write-source.ts';

/** A table in the Markdown of an update, for editing cell by cell. */
export type TableSource = {
  /** Range of the table in the text. */
  from: number;
  to: number;
  /** Markdown of the cells, by row. The first row names the columns. All rows have the same number of cells. */
  cells: string[][];
  align: Alignment[];
  /** Lines below the rows, without their first characters. */
  fields: TableFields;
};

/** Returns the tables of a text in order. */
export function tablesIn(text: string): TableSource[] {
  if (isUnparsable(text)) return [];
  return parseTree(text).children.flatMap((node): TableSource[] => {
    if (node.type !== 'table') return [];
    const { rows, fields, described } = tableParts(node, text);
    const cells = rows.map((row) => row.children.map((cell) => cellText(sourceOf(cell, text))));
    const width = Math.max(...cells.map((row) => row.length));
    const columns = Array.from({ length: width }, (_, column) => column);
    const last = node.children[rows.length + described - 1];
    return [
      {
        from: node.position?.start.offset ?? 0,
        to: last?.position?.end.offset ?? 0,
        cells: cells.map((row) => columns.map((column) => row[column] ?? '')),
        align: columns.map((column) => alignmentOf(node.align?.[column])),
        fields,
      },
    ];
  });
}

/** Returns the Markdown of a cell without the borders around it. */
function cellText(source: string): string {
  const text = source.trim();
  const start = text.startsWith('|') ? 1 : 0;
  const end = text.length > start && text.endsWith('|') && !text.endsWith('\\|') ? -1 : undefined;
  return text.slice(start, end).trim().replaceAll('\\|', '|');
}

/** Returns the Markdown of cells of plain text. All rows have the same number of cells. */
export function plainCells(cells: string[][]): string[][] {
  const [table] = tablesIn(writeBody([{ type: 'table', rows: plainRows(cells) }]));
  return table?.cells ?? [];
}

/** Writes a table into the text in place of the table in its range. */
export function replaceTable(text: string, { from, to, cells, align, fields }: TableSource): string {
  const [names = [], ...rows] = cells.map((row) => rowOf(row.map(cellSource)));
  const written = [names, delimiterRow(align), ...rows, ...tableLines(fields)].join('\n');
  return text.slice(0, from) + written + text.slice(to);
}

/** A cell is one line. A border in its text is escaped. */
const cellSource = (text: string) => text.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|');
