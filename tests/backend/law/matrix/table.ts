import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/*
 * The written permissions, docs/permissions.md: the one copy. What is in their tables is tried against a running
 * backend, and what the database has beside them makes the tests fail.
 */

/** The columns, in their order. */
export const PEOPLE = [
  'visitor',
  'signedOut',
  'reader',
  'contributor',
  'outsider',
  'expired',
  'reporter',
  'colleague',
  'moderator',
  'editor',
  'owner',
  'deactivated',
  'server',
] as const;
export type Person = (typeof PEOPLE)[number];

/** What is said in a cell; the document says what each means. */
export const MARKS = ['●', '○', '–', '?', '×'] as const;
export type Mark = (typeof MARKS)[number];
export type Marks = Record<Person, Mark>;

export type Row = { what: string; marks: Marks };

const SAYS = readFileSync(resolve('docs/permissions.md'), 'utf8');

/** The rows of the table below a heading. */
export function rowsOf(heading: string): Row[] {
  return cellsOf(heading).map(([what = '', ...cells]) => {
    if (cells.length !== PEOPLE.length) throw new Error(`"${what}" has ${cells.length} cells.`);
    const marks = cells.map((cell) => {
      if (!MARKS.includes(cell as Mark)) throw new Error(`"${what}" says "${cell}".`);
      return cell as Mark;
    });
    return { what, marks: Object.fromEntries(PEOPLE.map((who, n) => [who, marks[n]])) as Marks };
  });
}

/** The cells of the table below a heading, row by row, without its head. */
export function cellsOf(heading: string): string[][] {
  const [, section = ''] = SAYS.split(`\n## ${heading}\n`);
  const lines = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('|'));
  if (lines.length < 3) throw new Error(`There is no table below "${heading}".`);
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** What stands in backticks in the first cells of a table: the things that it is about. */
export const namesIn = (heading: string): Set<string> =>
  new Set(
    cellsOf(heading).flatMap(([what = '']) => [...what.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '')),
  );

/** Who may do what a row is about. */
export const whoMay = ({ marks }: Row): Person[] => PEOPLE.filter((who) => marks[who] === '●');
