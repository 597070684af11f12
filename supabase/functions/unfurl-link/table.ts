import { type HttpResponse, readBytes } from '../_shared/http-client.ts';
import { LIMITS } from '../_shared/limits.ts';
import type { NetworkAccess } from '../_shared/network.ts';
import { openAddress, PAGE_LIMITS, requireAnswer } from '../_shared/open-address.ts';
import { Refused } from '../_shared/refusals.ts';
import { cleanLine, decoderFor } from './unfurl.ts';

/** Many servers send CSV files as plain text. */
const CSV_TYPE = /^(text\/csv|application\/csv|text\/plain)\s*(;|$)/i;

/**
 * Reads the cells of the CSV file at an address, by row. All rows have the same number of cells. A cell is one line of
 * plain text without control characters, and may be empty. The first row names the columns.
 * @throws Refused `invalid` for an address or answer that is no such file, or a table that is too large; `too_large`,
 * `unavailable`
 */
export async function readTable(link: string, net: NetworkAccess, limits = PAGE_LIMITS): Promise<string[][]> {
  const read = (response: HttpResponse) => readCells(response, limits.bytes);
  return openAddress({ link, accept: 'text/csv,text/plain;q=0.9', isSecure: true, read }, net, limits);
}

async function readCells({ status, headers, body }: HttpResponse, maxBytes: number): Promise<string[][]> {
  requireAnswer(status);
  if (status !== 200) throw refuse('page_not_found');
  const type = headers.get('content-type') ?? '';
  if (!CSV_TYPE.test(type)) throw refuse('not_csv');
  const bytes = await readBytes(body, maxBytes);
  const cells = cellsOf(decoderFor(type, bytes).decode(bytes)).map((row) =>
    row.map((cell) => cleanLine(cell, LIMITS.body_characters)),
  );
  if (cells.length < 2 || cells.flat().every((cell) => cell === '')) throw refuse('not_csv');
  return cells;
}

function cellsOf(text: string): string[][] {
  try {
    return parseCsv(text, { rows: LIMITS.table_rows + 1, columns: LIMITS.table_columns });
  } catch (error) {
    if (error instanceof InvalidCsv) throw refuse('not_csv');
    if (!(error instanceof CsvTooLarge)) throw error;
    const details = { rows: LIMITS.table_rows, columns: LIMITS.table_columns };
    throw new Refused('invalid', 'table_too_large', { field: 'url', details });
  }
}

const refuse = (reason: string) => new Refused('invalid', reason, { field: 'url' });

/** The text is not CSV. */
class InvalidCsv extends Error {
  override name = 'InvalidCsv';
}

/** The CSV has more rows or columns than allowed. */
class CsvTooLarge extends Error {
  override name = 'CsvTooLarge';
}

/** Separators that spreadsheets write, the standard one first. */
const SEPARATORS = [',', ';', '\t'];

/**
 * Parses CSV (RFC 4180) by one scan of its characters. The separator is the most frequent one of the first record.
 * Empty lines are skipped, short records get empty fields.
 * @param max largest number of records and of fields in a record
 * @returns records with the same number of fields
 * @throws InvalidCsv for an unclosed or misplaced quote, CsvTooLarge
 */
function parseCsv(text: string, max: { rows: number; columns: number }): string[][] {
  const separator = separatorOf(text);
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < text.length; ) {
    const { field, end } = fieldAt(text, at, separator);
    row.push(field);
    if (row.length > max.columns) throw new CsvTooLarge();
    at = end + 1;
    if (text[end] === separator && at < text.length) continue;
    if (text[end] === separator) row.push('');
    if (text[end] === '\r' && text[at] === '\n') at += 1;
    if (row.length > 1 || row[0] !== '') rows.push(row);
    if (rows.length > max.rows) throw new CsvTooLarge();
    row = [];
  }
  const width = Math.max(0, ...rows.map(({ length }) => length));
  if (width > max.columns) throw new CsvTooLarge();
  return rows.map((fields) => [...fields, ...Array<string>(width - fields.length).fill('')]);
}

/** Reads a field. @returns its text, and the position of the separator or line break after it */
function fieldAt(text: string, start: number, separator: string): { field: string; end: number } {
  if (text[start] !== '"') {
    const end = endOfField(text, start, separator);
    const field = text.slice(start, end);
    if (field.includes('"')) throw new InvalidCsv();
    return { field, end };
  }
  const end = closingQuote(text, start + 1) + 1;
  if (end < text.length && !isEnd(text[end], separator)) throw new InvalidCsv();
  return { field: text.slice(start + 1, end - 1).replaceAll('""', '"'), end };
}

/** Returns the position of the quote that ends a field. Two quotes stand for one in its text. */
function closingQuote(text: string, start: number): number {
  let at = text.indexOf('"', start);
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  if (at < 0) throw new InvalidCsv();
  return at;
}

function endOfField(text: string, start: number, separator: string): number {
  let end = start;
  while (end < text.length && !isEnd(text[end], separator)) end += 1;
  return end;
}

const isEnd = (character: string | undefined, separator: string) =>
  character === separator || character === '\n' || character === '\r';

/** Counts separators outside of quotes in the first record. */
function separatorOf(text: string): string {
  const counts = SEPARATORS.map(() => 0);
  let isQuoted = false;
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === '\n' || character === '\r') break;
    else {
      const index = SEPARATORS.indexOf(character);
      if (index >= 0) counts[index] = (counts[index] ?? 0) + 1;
    }
  }
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ',';
}
