import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/* Reads the tables of docs/permissions.md, the only definition of the permissions. */

/** The columns in order. */
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

/** The marks of the cells. The document explains them. */
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

/** The cells of the table below a heading, without its head. */
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

/** The names in backticks in the first column of a table. */
export const namesIn = (heading: string): Set<string> =>
  new Set(
    cellsOf(heading).flatMap(([what = '']) => [...what.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '')),
  );

/** The actors that a row allows. */
export const whoMay = ({ marks }: Row): Person[] => PEOPLE.filter((who) => marks[who] === '●');
