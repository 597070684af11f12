import { readFile } from 'node:fs/promises';

const ESCAPES: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

const readValue = (text: string): string | null =>
  text === '\\N' ? null : text.replace(/\\(.)/gs, (_, sign: string) => ESCAPES[sign] ?? sign);

/** The rows of a file in COPY's text format, of a table that fits into memory. @param columns of the file, in order */
export async function copiedRows(path: string, columns: string[]): Promise<Record<string, string | null>[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
  return lines.map((line) => {
    const values = line.split('\t').map(readValue);
    return Object.fromEntries(columns.map((column, n) => [column, values[n] ?? null]));
  });
}
