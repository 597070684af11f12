import type { Table as MarkdownTable, TableRow } from 'mdast';
import { utcFromLocal } from '../local-time.ts';
import { machineTime } from '../time.ts';
import { type Alignment, normalizeCsvUrl, type Table } from './blocks.ts';
import { inlineRuns, joined, normalizeRuns, sourceOf } from './parse-inline.ts';
import { presetNamed } from './table-presets.ts';

/** Lines below the rows of a table, by their first characters. */
const TABLE_LINES = {
  caption: /^:\s+(?=\S)/,
  source: /^(?:—|―|--)\s+(?=\S)/,
  as_of: /^@\s+(?=\S)/,
  preset: /^=\s+(?=\S)/,
  csv: /^csv:\s*(?=\S)/i,
};
type TableField = keyof typeof TABLE_LINES;
const TABLE_FIELDS = Object.keys(TABLE_LINES) as TableField[];

/** Lines below the rows of a table, without their first characters. */
export type TableFields = Partial<Record<TableField, string>>;

/** Returns the lines below the rows of a table. */
export function tableLines(fields: TableFields): string[] {
  const starts: Record<TableField, string> = {
    caption: ':',
    source: '—',
    as_of: '@',
    preset: '=',
    csv: 'csv:',
  };
  return TABLE_FIELDS.flatMap((field) => {
    const text = fields[field]?.replaceAll('|', '\\|').trim();
    return text ? [`${starts[field]} ${text}`] : [];
  });
}

/** A border between two cells. In a text it is escaped. */
const CELL_BORDER = /(?<!\\)\|/;

/** The parts of a table in a text. */
type TableParts = {
  /** The rows with the names of the columns and the others. */
  rows: TableRow[];
  fields: TableFields;
  /** All lines below the rows, and the number of those that describe the table. */
  below: string[];
  described: number;
};

/**
 * Returns the parts of a table. Lines without `|` directly below the rows are not cells, although Markdown reads them
 * as such: they describe the table, or are text after it.
 */
export function tableParts(node: MarkdownTable, source: string): TableParts {
  const typed = node.children.map((row) =>
    sourceOf(row, source)
      .replace(/\p{Cc}/gu, ' ')
      .trim(),
  );
  const count = typed.findLastIndex((line) => CELL_BORDER.test(line)) + 1;
  const below = typed.slice(count);
  const fields: TableFields = {};
  let described = 0;
  for (const line of below) {
    const field = TABLE_FIELDS.find((name) => fields[name] === undefined && TABLE_LINES[name].test(line));
    if (!field) break;
    fields[field] = line.replace(TABLE_LINES[field], '').replaceAll('\\|', '|');
    described += 1;
  }
  return { rows: node.children.slice(0, count), fields, below, described };
}

/**
 * Returns the table of a Markdown table, and the lines of its last rows that are text below it. Short rows get empty
 * cells. A line with an unknown time or preset, or a CSV address that is not https, is text. Null if there is only one
 * row.
 * @param timeZone zone of the time of the data. Default: UTC
 */
export function tableOf(
  node: MarkdownTable,
  source: string,
  timeZone: string | undefined,
): { table: Table | null; below: string[] } | null {
  const parts = tableParts(node, source);
  const cells = parts.rows.map((row) =>
    row.children.map((cell) => normalizeRuns(joined(inlineRuns(cell.children, source)))),
  );
  const width = Math.max(...cells.map((row) => row.length));
  const rows = cells.map((row) => Array.from({ length: width }, (_, column) => row[column] ?? []));
  if (rows.length < 2) return null;
  if (rows.flat(2).length === 0) return { table: null, below: parts.below };
  const table: Table = { type: 'table', rows };
  const align = rows[0]?.map((_, column) => alignmentOf(node.align?.[column])) ?? [];
  if (align.some((alignment) => alignment !== 'start')) table.align = align;
  const { caption, source: publisher, as_of, preset, csv } = parts.fields;
  if (caption) table.caption = caption;
  if (publisher) table.source = publisher;
  const time = as_of && parseTime(as_of, timeZone);
  if (time) table.as_of = time;
  const known = preset && presetNamed(preset);
  if (known) table.preset = known;
  const address = csv && normalizeCsvUrl(csv);
  if (address) table.csv = address;
  const unknown = [
    as_of && !time ? `@ ${as_of}` : '',
    preset && !known ? `= ${preset}` : '',
    csv && !address ? `csv: ${csv}` : '',
  ];
  return { table, below: [...unknown.filter(Boolean), ...parts.below.slice(parts.described)] };
}

/** Returns the UTC time of a line such as `2026-11-28 14:02`, in the zone, or `2026-11-28T14:02:00Z`. */
function parseTime(text: string, timeZone = 'UTC'): string | undefined {
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text)) {
    return utcFromLocal(text.slice(0, 16), 'UTC') && Number(text.slice(17, 19)) < 60 ? text : undefined;
  }
  const at = utcFromLocal(text.replace(/\s+/, 'T'), timeZone);
  return at ? machineTime(at) : undefined;
}

/** Returns the alignment of a column of Markdown. */
export const alignmentOf = (align: 'left' | 'right' | 'center' | null | undefined): Alignment =>
  align === 'center' ? 'center' : align === 'right' ? 'end' : 'start';
