import { type Alignment, displayUrl, normalizeUrl, plainRows } from './blocks.ts';
import { mediaUrl } from './media-url.ts';
import { parseTree, sourceOf } from './parse-inline.ts';
import { alignmentOf, type TableFields, tableLines, tableParts } from './parse-table.ts';
import { isUnparsable } from './source.ts';
import type { TablePreset } from './table-presets.ts';
import { writeBody } from './write-source.ts';

/**
 * A text and its selection. `from` equals `to` when nothing is selected. Offsets are in UTF-16 units, as in a text
 * field.
 */
export type TextSelection = { text: string; from: number; to: number };

/** Replacement for the text between `from` and `to`, and the selection after it. */
export type TextEdit = { from: number; to: number; insert: string; selection: [number, number] };

const MARKS = { bold: 2, italic: 1 };

/** Start of a line of a list; start of a line of a quote. */
const LIST_ITEM = /^[^\S\n]*(?:[-*+]|(\d{1,9})[.)])[^\S\n]+/;
const QUOTE_LINE = /^[^\S\n]*>[^\S\n]?/;
/** Last line of a quote without a name in it. */
const EMPTY_ATTRIBUTION = /^[^\S\n]*>[^\S\n]*(?:—|―|--)?[^\S\n]*$/;

/** Last line of a post: the author as a link with a title. */
const POST_END = /^[^\S\n]*>[^\S\n]*(?:—|―|--) \[.*"\)$/;

/** Makes the selection, or the word at the caret, bold or italic. Removes the formatting if it is already there. */
export function toggleMark({ text, from, to }: TextSelection, mark: keyof typeof MARKS): TextEdit {
  const size = MARKS[mark];
  if (from !== to) return markLines({ text, from, to }, size);
  const around = starsAround(text, from, from);
  if (around >= size && hasMark(around, size)) return withMarks(text, { from, to, run: around }, -size);
  const ahead = starsAt(text, from, 1);
  if (hasMark(ahead, size) && /\S/.test(text[from - 1] ?? '')) {
    return { from, to, insert: '', selection: [from + size, from + size] };
  }
  const start = from - (/[\p{L}\p{N}\p{M}’-]*$/u.exec(text.slice(0, from))?.[0].length ?? 0);
  const end = from + (/^[\p{L}\p{N}\p{M}’-]*/u.exec(text.slice(from))?.[0].length ?? 0);
  const run = starsAround(text, start, end);
  const by = hasMark(run, size) ? -size : size;
  const edit = withMarks(text, { from: start, to: end, run }, by);
  return { ...edit, selection: [from + by, from + by] };
}

/** Three stars are bold and italic. */
const hasMark = (run: number, size: number) => run >= 3 || run === size;

type MarkedRange = { from: number; to: number; run: number };

/**
 * Counts the consecutive stars after (`step` 1) or before (-1) a position, at most 3. A star after a backslash does
 * not count.
 */
function starsAt(text: string, at: number, step: 1 | -1): number {
  let count = 0;
  while (text[step === 1 ? at + count : at - count - 1] === '*') count += 1;
  const isEscaped = step === -1 && text[at - count - 1] === '\\';
  return Math.min(3, isEscaped ? count - 1 : count);
}

const starsAround = (text: string, from: number, to: number) =>
  Math.min(starsAt(text, from, -1), starsAt(text, to, 1));

function withMarks(text: string, { from, to, run }: MarkedRange, by: number): TextEdit {
  const stars = '*'.repeat(run + by);
  const start = from - run + stars.length;
  return {
    from: from - run,
    to: to + run,
    insert: `${stars}${text.slice(from, to)}${stars}`,
    selection: [start, start + to - from],
  };
}

/**
 * Formats each selected line separately, because Markdown does not carry emphasis across blocks. Leaves list and
 * quote markers out.
 */
function markLines(chosen: TextSelection, size: number): TextEdit {
  const ranges = markedRanges(chosen);
  const by = ranges.every(({ run }) => hasMark(run, size)) ? -size : size;
  const changed = ranges.filter(({ run }) => hasMark(run, size) === by < 0);
  const [first, last] = [changed[0], changed.at(-1)];
  if (!first || !last)
    return {
      ...chosen,
      insert: chosen.text.slice(chosen.from, chosen.to),
      selection: [chosen.from, chosen.to],
    };
  if (changed.length === 1) return withMarks(chosen.text, first, by);
  const from = first.from - first.run;
  let insert = '';
  let at = from;
  for (const range of changed) {
    const edit = withMarks(chosen.text, range, by);
    insert += chosen.text.slice(at, edit.from) + edit.insert;
    at = edit.to;
  }
  return { from, to: at, insert, selection: [from, from + insert.length] };
}

function markedRanges({ text, from, to }: TextSelection): MarkedRange[] {
  const ranges: MarkedRange[] = [];
  let start = from;
  for (const line of text.slice(from, to).split('\n')) {
    const isWhole = start === 0 || text[start - 1] === '\n';
    const lead = isWhole ? ((LIST_ITEM.exec(line) ?? QUOTE_LINE.exec(line))?.[0].length ?? 0) : 0;
    const words = line.slice(lead);
    const range = {
      from: start + lead + words.length - words.trimStart().length,
      to: start + lead + words.trimEnd().length,
    };
    while (range.to - range.from > 1 && text[range.from] === '*' && text[range.to - 1] === '*') {
      range.from += 1;
      range.to -= 1;
    }
    if (range.to > range.from) ranges.push({ ...range, run: starsAround(text, range.from, range.to) });
    start += line.length + 1;
  }
  return ranges;
}

/**
 * Turns the selected lines into a list or quote, or back into plain lines. A new quote ends with a line for its
 * attribution.
 */
export function toggleLines({ text, from, to }: TextSelection, kind: 'list' | 'quote'): TextEdit {
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const end = to + lineRest(text, to).length;
  const lines = text.slice(start, end).split('\n');
  const mark = kind === 'list' ? LIST_ITEM : QUOTE_LINE;
  const filledLines = lines.filter((line) => line.trim() !== '');
  const isRemoving = filledLines.length > 0 && filledLines.every((line) => mark.test(line));
  const plain = (line: string) => line.replace(LIST_ITEM, '').replace(QUOTE_LINE, '');
  const changed = lines.map((line) => {
    if (isRemoving) return line.replace(mark, '');
    if (line.trim() === '' && lines.length > 1) return kind === 'quote' ? '>' : line;
    return `${kind === 'list' ? '- ' : '> '}${plain(line)}`;
  });
  if (!isRemoving && kind === 'quote' && filledLines.length > 0) changed.push('> — ');
  const block = changed.join('\n');
  // Without a blank line, Markdown would read a neighbouring plain line as part of the list or quote.
  const before = text.slice(0, start).split('\n').at(-2) ?? '';
  const after = text.slice(end).split('\n')[1] ?? '';
  const isMarked = (line: string) => LIST_ITEM.test(line) || QUOTE_LINE.test(line);
  const lead = isRemoving && isMarked(before) ? '\n' : '';
  const trailingBreak = !isRemoving && after.trim() !== '' && !isMarked(after) ? '\n' : '';
  const insert = `${lead}${block}${trailingBreak}`;
  const last = start + lead.length + block.length;
  const isOne = from === to || (!isRemoving && kind === 'quote');
  return {
    from: start,
    to: end,
    insert,
    selection: isOne ? [last, last] : [start + lead.length, last],
  };
}

const lineRest = (text: string, at: number) => text.slice(at).split('\n', 1)[0] ?? '';

/** Every part has a maximum length, so that a text with thousands of unclosed brackets is matched quickly. */
const LINK = /\[([^\]\n]{0,2000})\]\((?:<[^>\n]{0,2048}>|[^)\s]{0,2048})\)/g;
const URL_PLACEHOLDER = 'https://';

/**
 * Turns the selection into a link, or a link into plain text.
 * @param url target of the link. Without it, the edit selects the part that has to be typed next.
 * @returns null if the selection spans several lines
 */
export function toggleLink({ text, from, to }: TextSelection, url?: string): TextEdit | null {
  const words = text.slice(from, to);
  if (words.includes('\n')) return null;
  const within = url ? undefined : linkAround(text, from, to);
  if (within) return within;
  const address = url ?? normalizeUrl(words.trim());
  const isAddress = !url && address !== null;
  const label = isAddress ? displayUrl(address) : words;
  const target = address ?? URL_PLACEHOLDER;
  const insert = `[${label}](${/[()]/.test(target) ? `<${target}>` : target})`;
  const at = from + label.length + 3;
  if (url) return { from, to, insert, selection: [from + insert.length, from + insert.length] };
  const isTargetNext = words !== '' && !isAddress;
  return {
    from,
    to,
    insert,
    selection: isTargetNext ? [at, at + target.length] : [from + 1, from + 1 + label.length],
  };
}

function linkAround(text: string, from: number, to: number): TextEdit | undefined {
  for (const { 0: whole, 1: words = '', index } of text.matchAll(LINK)) {
    if (index <= from && to <= index + whole.length) {
      return {
        from: index,
        to: index + whole.length,
        insert: words,
        selection: [index, index + words.length],
      };
    }
  }
  return undefined;
}

/** A row of a table as this editor writes it: with a border at both ends. */
const TABLE_ROW = /^[^\S\n]*\|.*\|[^\S\n]*$/;
const EMPTY_ROW = /^[^\S\n]*\|[|\s]*$/;
/** Whether a line separates the names of the columns from the rows. */
const isDelimiterRow = (line: string) => TABLE_ROW.test(line) && line.includes('-') && !/[^-:|\s]/.test(line);

/** Returns the text of a row. */
export const rowOf = (cells: string[]): string => `|${cells.map((cell) => ` ${cell} |`).join('')}`;

/** Returns a row with the same number of cells as another row. */
const rowLike = (row: string, cell: string) =>
  rowOf(Array((row.match(/(?<!\\)\|/g)?.length ?? 2) - 1).fill(cell));

/** Cells of the row below the names of the columns. */
const DASHES: Record<Alignment, string> = { start: '---', center: ':---:', end: '---:' };

/** Returns the row below the names of the columns. */
export const delimiterRow = (align: Alignment[]): string => rowOf(align.map((column) => DASHES[column]));

/** Alignment of the columns of a new table of a kind. */
export const PRESET_ALIGNMENT: Record<TablePreset, [Alignment, Alignment, Alignment]> = {
  results: ['start', 'end', 'start'],
  score: ['start', 'center', 'end'],
  closures: ['start', 'start', 'start'],
  shelters: ['start', 'end', 'start'],
};

/**
 * Inserts a table with an empty row below the caret's line, and puts the caret into its first empty cell.
 * @param names names of the columns
 * @param lines lines below the rows
 */
export function insertTable(
  chosen: TextSelection,
  names = ['', ''],
  align: Alignment[] = names.map(() => 'start'),
  lines: string[] = [],
): TextEdit {
  const empty = rowOf(names.map(() => ''));
  const edit = insertBelow(chosen, [rowOf(names), delimiterRow(align), empty, ...lines].join('\n'));
  const caret = edit.from + edit.insert.indexOf(empty) + 2;
  return { ...edit, selection: [caret, caret] };
}

/**
 * Returns the edit for Enter in a row: a new row below it, with the caret in its first cell. Below the names of the
 * columns the delimiter row is added if it is missing. In an empty row, Enter ends the table; its caption may follow
 * there.
 */
function nextRow(text: string, start: number, row: string): TextEdit {
  const [below = ''] = text.slice(start + row.length + 1).split('\n', 1);
  const above = text.slice(0, start).split('\n').at(-2) ?? '';
  if (EMPTY_ROW.test(row) && TABLE_ROW.test(above)) {
    return { from: start, to: start + row.length, insert: '', selection: [start, start] };
  }
  const end = start + row.length + (isDelimiterRow(below) ? below.length + 1 : 0);
  const isFirst = !TABLE_ROW.test(above) && !isDelimiterRow(below) && !isDelimiterRow(row);
  const insert = `\n${isFirst ? `${rowLike(row, '---')}\n` : ''}${rowLike(row, '')}`;
  const caret = end + insert.lastIndexOf('\n') + 3;
  return { from: end, to: end, insert, selection: [caret, caret] };
}

/**
 * Returns the edit for Enter in a list, quote or table: continues it, or ends it if the line is empty.
 * @returns null if Enter is a plain line break
 */
export function nextLine({ text, from, to }: TextSelection): TextEdit | null {
  if (from !== to) return null;
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const line = text.slice(start, from) + lineRest(text, from);
  if (TABLE_ROW.test(line) && from > start + line.indexOf('|')) return nextRow(text, start, line);
  const lead = (LIST_ITEM.exec(line) ?? QUOTE_LINE.exec(line))?.[0] ?? '';
  if (lead === '' || from < start + lead.length) return null;
  // A line below it would be part of the quote.
  if (POST_END.test(text.slice(start, from)))
    return { from, to, insert: '\n\n', selection: [from + 2, from + 2] };
  if (line.length === lead.length || EMPTY_ATTRIBUTION.test(line)) {
    // Two line breaks end the list: Markdown would read a line directly below it as part of it.
    const isAfter =
      start > 0 &&
      text
        .slice(0, start - 1)
        .split('\n')
        .at(-1)
        ?.trim() !== '';
    const insert = isAfter ? '\n' : '';
    return {
      from: start,
      to: start + line.length,
      insert,
      selection: [start + insert.length, start + insert.length],
    };
  }
  const insert = `\n${lead.replace(/\d+/, (number) => `${Number(number) + 1}`)}`;
  return { from, to, insert, selection: [from + insert.length, from + insert.length] };
}

/** Inserts Markdown at the selection: within a line, or as blocks with a blank line before and after. */
export function insertMarkdown(
  { text, from, to }: TextSelection,
  markdown: string,
  isInline: boolean,
): TextEdit {
  const before = text.slice(0, from);
  const after = text.slice(to);
  const lead =
    isInline || before.trim() === ''
      ? ''
      : '\n'.repeat(2 - Math.min(2, /\n*$/.exec(before)?.[0].length ?? 0));
  const trailingBreak =
    isInline || after.trim() === '' ? '' : '\n'.repeat(2 - Math.min(2, /^\n*/.exec(after)?.[0].length ?? 0));
  const at = from + lead.length + markdown.length;
  return { from, to, insert: `${lead}${markdown}${trailingBreak}`, selection: [at, at] };
}

/**
 * Inserts the address of a video or recording into an empty line, and begins the line of its title below.
 * @returns null for any other text, and inside of a line
 */
export function insertMedia(chosen: TextSelection, address: string): TextEdit | null {
  const url = mediaUrl(address);
  const { text, from, to } = chosen;
  const before = text.slice(text.lastIndexOf('\n', from - 1) + 1, from);
  if (!url || before.trim() !== '' || lineRest(text, to).trim() !== '') return null;
  return insertMarkdown(chosen, `${url}\n: `, false);
}

/** Inserts a block after the line that contains the caret. */
export function insertBelow({ text, to }: TextSelection, markdown: string): TextEdit {
  const end = to + lineRest(text, to).length;
  return insertMarkdown({ text, from: end, to: end }, markdown, false);
}

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
