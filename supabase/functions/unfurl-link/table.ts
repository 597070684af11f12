import { type HttpResponse, ResponseTooLarge } from '../_shared/http-client.ts';
import { LIMITS } from '../_shared/limits.ts';
import type { NetworkAccess } from '../_shared/network.ts';
import { Refused } from '../_shared/refusals.ts';
import { CsvTooLarge, InvalidCsv, parseCsv } from './csv.ts';
import { cleanLine, decoderFor } from './head.ts';
import { openAddress, PAGE_LIMITS, requireAnswer } from './unfurl.ts';

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

async function readBytes(body: AsyncIterable<Uint8Array>, max: number): Promise<Uint8Array> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > max) throw new ResponseTooLarge();
    parts.push(part.slice());
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
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
