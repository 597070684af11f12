import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Body, Table } from '../../../src/lib/domain/body/blocks.ts';
import { mergeBodies, mergeTables } from '../../../src/lib/domain/body/merge-tables.ts';

const tableOf = (rows: string[][], more: Partial<Table> = {}): Table => ({
  type: 'table',
  rows: rows.map((cells) => cells.map((text) => (text ? [{ text }] : []))),
  ...more,
});
const wordsOf = ({ rows }: Table) =>
  rows.map((cells) => cells.map((runs) => runs.map(({ text }) => text).join('')));

const NAMES = ['Road', 'State', 'Detour'];
const MILL = ['Mill Lane', 'closed', 'Church Hill'];
const QUAY = ['Quay', 'open', ''];
const FERRY = ['Ferry Bridge', 'open', ''];
const BASE = [NAMES, MILL, QUAY, FERRY];
const merge = (mine: string[][], theirs: string[][], base = BASE) => {
  const { result, conflicts } = mergeTables(tableOf(base), tableOf(mine), tableOf(theirs));
  return [wordsOf(result), conflicts];
};
const changed = (row: number, column: number, text: string, rows = BASE) =>
  rows.map((cells, index) => (index === row ? cells.with(column, text) : cells));

describe('mergeTables', () => {
  test('takes both changes in different cells, also of the same row', () => {
    expect(merge(changed(1, 1, 'open'), changed(3, 1, 'closed'))).toEqual([
      changed(1, 1, 'open', changed(3, 1, 'closed')),
      0,
    ]);
    expect(merge(changed(1, 1, 'open'), changed(1, 2, 'none'))).toEqual([
      [NAMES, ['Mill Lane', 'open', 'none'], QUAY, FERRY],
      0,
    ]);
    expect(merge(changed(1, 1, 'open'), changed(1, 1, 'open'))).toEqual([changed(1, 1, 'open'), 0]);
  });

  test('reports rows that would get into another table', () => {
    const teams = [
      ['Team', 'Points'],
      ['A', '1'],
      ['B', '2'],
    ];
    const roads = [
      ['Road', 'Status'],
      ['M1', 'closed'],
      ['M2', 'open'],
    ];
    const added = [...teams, ['C', '3']];
    expect(merge(added, roads, teams)[1]).toBeGreaterThan(0);
    expect(merge(roads, added, teams)[1]).toBeGreaterThan(0);
    expect(merge(roads, teams, teams)).toEqual([roads, 0]);
  });

  test('reports a column that was renamed beside a new one, because values would get into another column', () => {
    const votes = [
      ['Party', 'Votes'],
      ['A', '10'],
    ];
    const seats = [
      ['Party', 'Seats', 'Votes 2026'],
      ['A', '', '10'],
    ];
    expect(merge(seats, [...votes, ['D', '1204']], votes)[1]).toBeGreaterThan(0);
    expect(merge([...votes, ['D', '1204']], seats, votes)[1]).toBeGreaterThan(0);
    expect(merge(seats, changed(1, 1, '99', votes), votes)[1]).toBeGreaterThan(0);
  });

  test('reports a cell that both changed, and keeps mine', () => {
    expect(merge(changed(1, 1, 'open'), changed(1, 1, 'restricted'))).toEqual([changed(1, 1, 'open'), 1]);
  });

  test('follows rows that the other version moved down or up by adding and removing', () => {
    const added = ['Upper road', 'open', ''];
    expect(merge([NAMES, added, ...BASE.slice(1)], changed(3, 1, 'closed'))).toEqual([
      [NAMES, added, MILL, QUAY, ['Ferry Bridge', 'closed', '']],
      0,
    ]);
    expect(merge(changed(3, 1, 'closed'), [NAMES, QUAY, FERRY, added])).toEqual([
      [NAMES, QUAY, ['Ferry Bridge', 'closed', ''], added],
      0,
    ]);
    expect(merge([...BASE, ['A', '', '']], [...BASE, ['B', '', '']])).toEqual([
      [...BASE, ['B', '', ''], ['A', '', '']],
      0,
    ]);
    expect(merge([...BASE, added], [...BASE, added])).toEqual([[...BASE, added], 0]);
  });

  test.each([
    ['a row that mine removed', [NAMES, QUAY, FERRY], changed(1, 1, 'open'), changed(1, 1, 'open')],
    ['a row that theirs removed', changed(1, 1, 'open'), [NAMES, QUAY, FERRY], changed(1, 1, 'open')],
    [
      'a row that mine renamed',
      changed(1, 0, 'Mill Road'),
      changed(1, 1, 'open'),
      changed(1, 0, 'Mill Road'),
    ],
    [
      'a row that mine replaced by another one',
      changed(1, 0, 'Elm Street'),
      changed(1, 1, 'open'),
      changed(1, 0, 'Elm Street'),
    ],
    [
      'a new row of the same name',
      [...BASE, ['Elm Street', 'open', '']],
      [...BASE, ['Elm Street', 'closed', '']],
      [...BASE, ['Elm Street', 'closed', ''], ['Elm Street', 'open', '']],
    ],
  ])('reports a change of %s', (_, mine, theirs, merged) => {
    expect(merge(mine, theirs)).toEqual([merged, 1]);
  });

  test('follows columns that one version added, removed or renamed', () => {
    const wide = BASE.map(([a = '', b = '', c = ''], row) => [a, row === 0 ? 'Since' : '9:00', b, c]);
    expect(merge(wide, changed(2, 1, 'closed'))).toEqual([changed(2, 2, 'closed', wide), 0]);
    expect(merge(changed(2, 1, 'closed'), wide)).toEqual([changed(2, 2, 'closed', wide), 0]);
    const narrow = BASE.map(([a = '', b = '']) => [a, b]);
    expect(merge(narrow, changed(2, 1, 'closed'))).toEqual([changed(2, 1, 'closed', narrow), 0]);
    expect(merge(narrow, changed(2, 2, 'Elm Street'))).toEqual([narrow, 1]);
    expect(merge(changed(0, 1, 'Now'), changed(2, 1, 'closed'))).toEqual([
      changed(0, 1, 'Now', changed(2, 1, 'closed')),
      0,
    ]);
    expect(merge(narrow, wide)[1]).toBe(1);
  });

  test('merges caption, source, kind and alignment, and takes the later of two times', () => {
    const base = tableOf(BASE, { caption: 'Roads', as_of: '2026-11-28T10:00:00Z' });
    const mine = tableOf(BASE, {
      caption: 'Roads now',
      as_of: '2026-11-28T11:00:00Z',
      align: ['start', 'end', 'start'],
    });
    const theirs = tableOf(BASE, {
      caption: 'Roads',
      as_of: '2026-11-28T12:00:00Z',
      preset: 'closures',
      source: 'County',
    });
    expect(mergeTables(base, mine, theirs)).toEqual({
      result: {
        ...base,
        caption: 'Roads now',
        source: 'County',
        preset: 'closures',
        as_of: '2026-11-28T12:00:00Z',
        align: ['start', 'end', 'start'],
      },
      conflicts: 0,
    });
    expect(mergeTables(base, mine, { ...theirs, caption: 'All roads' }).conflicts).toBe(1);
  });

  test('loses no change of two people who change, add and remove rows', () => {
    const word = fc.constantFrom('a', 'b', 'c', '');
    const rows = fc.uniqueArray(fc.tuple(fc.constantFrom('1', '2', '3', '4', '5', '6'), word, word), {
      selector: ([name]) => name,
      maxLength: 6,
    });
    fc.assert(
      fc.property(rows, rows, rows, (base, mine, theirs) => {
        const [merged, conflicts] = merge([NAMES, ...mine], [NAMES, ...theirs], [NAMES, ...base]) as [
          string[][],
          number,
        ];
        if (conflicts > 0) return;
        const rowIn = (all: string[][], name: string) => all.find(([first]) => first === name);
        for (const name of new Set([...base, ...mine, ...theirs].map(([first]) => first))) {
          const [was, own, other, now] = [base, mine, theirs, merged].map((all) => rowIn(all, name));
          for (const column of [1, 2]) {
            const values = [own, other]
              .filter((row) => row && row[column] !== was?.[column])
              .map((row) => row?.[column]);
            // A value that one of them set is there.
            for (const value of new Set(values)) expect(now?.[column]).toBe(value);
          }
          if (!own && !other) expect(now).toBeUndefined();
        }
      }),
    );
  });

  test('gives the other version if one did not change', () => {
    const rows = fc.array(fc.array(fc.constantFrom('a', 'b', ''), { minLength: 2, maxLength: 2 }), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(rows, rows, (base, other) => {
        expect(
          merge([NAMES.slice(1), ...other], [NAMES.slice(1), ...base], [NAMES.slice(1), ...base]),
        ).toEqual([[NAMES.slice(1), ...other], 0]);
        expect(
          merge([NAMES.slice(1), ...base], [NAMES.slice(1), ...other], [NAMES.slice(1), ...base]),
        ).toEqual([[NAMES.slice(1), ...other], 0]);
      }),
    );
  });
});

describe('mergeBodies', () => {
  const paragraph = (text: string): Body[number] => ({ type: 'paragraph', runs: [{ text }] });
  const body = (text: string, rows = BASE): Body => [paragraph(text), tableOf(rows)];

  test('merges tables into the version that changed other text', () => {
    const merged = [paragraph('New'), tableOf(changed(1, 1, 'open', changed(2, 1, 'closed')))];
    const [one, two] = [body('New', changed(1, 1, 'open')), body('Old', changed(2, 1, 'closed'))];
    expect(mergeBodies(body('Old'), one, two)).toEqual({ result: merged, conflicts: 0 });
    expect(mergeBodies(body('Old'), two, one)).toEqual({ result: merged, conflicts: 0 });
  });

  test('compares values in any order of their keys, as the database returns them', () => {
    const stored = (all: Body) =>
      JSON.parse(
        JSON.stringify(all).replaceAll('"text":"closed"', '"link":"https://a.example/","text":"closed"'),
      );
    const typed = JSON.parse(
      JSON.stringify(body('Old')).replaceAll(
        '"text":"closed"',
        '"text":"closed","link":"https://a.example/"',
      ),
    );
    expect(
      mergeBodies(stored(body('Old')), typed, stored(body('Old', changed(1, 1, 'open now'))))?.conflicts,
    ).toBe(0);
  });

  test('does not merge if both changed text, or one added a table', () => {
    expect(mergeBodies(body('Old'), body('Mine'), body('Theirs'))).toBeNull();
    expect(
      mergeBodies(body('Old'), [...body('Old'), tableOf(BASE)], body('Old', changed(1, 1, 'open'))),
    ).toBeNull();
  });
});
