import { describe, expect, test } from 'vitest';
import { type Body, plainRows, type Table } from '../../../src/lib/domain/body/blocks.ts';
import { plainCells, replaceTable, tablesIn } from '../../../src/lib/domain/body/edit.ts';
import { mergeTables } from '../../../src/lib/domain/body/merge-tables.ts';
import { parseBody } from '../../../src/lib/domain/body/source.ts';
import { writeBody } from '../../../src/lib/domain/body/write-source.ts';
import { bodyDifference } from '../../../src/lib/domain/difference.ts';

const CSV = 'https://port.example/levels.csv?day=*1*&x=_a_';
const ROWS = '| Gauge | Level |\n| --- | --- |\n| Quay | 2.1 |';
const rows = plainRows([
  ['Gauge', 'Level'],
  ['Quay', '2.1'],
]);
const table: Table = { type: 'table', rows, csv: CSV };

describe('the line with the CSV address of a table', () => {
  test('is read and written', () => {
    const body: Body = [{ ...table, caption: 'Levels', source: 'Port', as_of: '2026-11-28T13:02:00Z' }];
    const text = writeBody(body);
    expect(text).toBe(`${ROWS.replaceAll('---', '-')}\n: Levels\n— Port\n@ 2026-11-28 13:02\ncsv: ${CSV}`);
    expect(parseBody(text)).toEqual(body);
  });

  test.each(['CSV:  ', 'csv:', 'Csv: '])('may begin with %j', (start) =>
    expect(parseBody(`${ROWS}\n${start}${CSV}`)).toEqual([table]),
  );

  test.each([
    'http://port.example/levels.csv',
    'javascript:alert(1)',
    'https://',
    'https://ana:secret@port.example/',
    'port.example',
    `https://port.example/${'x'.repeat(2_048)}`,
  ])('is text with another address: %s', (address) => {
    const [read, ...below] = parseBody(`${ROWS}\ncsv: ${address}`);
    expect(read).toEqual({ type: 'table', rows });
    expect(JSON.stringify(below)).toContain(address);
  });

  test('stands once: the second one is text', () => {
    const [read, below] = parseBody(`${ROWS}\ncsv: ${CSV}\ncsv: https://other.example/`);
    expect(read).toEqual(table);
    expect(below).toMatchObject({ type: 'paragraph' });
  });

  test('is a field of the grid, while it is typed too', () => {
    const [found] = tablesIn(`${ROWS}\ncsv: https:/`);
    if (!found) throw new Error('The text has a table.');
    expect(found.fields).toEqual({ csv: 'https:/' });
    const text = replaceTable(`${ROWS}\ncsv: https:/`, { ...found, fields: { csv: CSV } });
    expect(parseBody(text)).toEqual([table]);
  });
});

test('cells that were read stay plain text in the text of an update', () => {
  const cells = [
    ['*Gauge*', 'a|b'],
    ['[x](https://evil.example)', '=1+1'],
    ['', '`c` \\ <b>'],
  ];
  const text = replaceTable('', {
    from: 0,
    to: 0,
    cells: plainCells(cells),
    align: ['start', 'start'],
    fields: {},
  });
  expect(parseBody(text)).toEqual([{ type: 'table', rows: plainRows(cells) }]);
});

const reading = plainRows([
  ['Gauge', 'Level', 'At'],
  ['Mill', '2.4', '14:02'],
  ['Weir', '0.3', '14:02'],
]);

test('a save keeps all cells of a newer reading, also of cells that were typed over', () => {
  const theirs = { ...table, rows: reading, as_of: '2026-11-28T13:02:00Z' };
  const mine = {
    ...table,
    rows: plainRows([
      ['Gauge', 'Level'],
      ['Quay', '99'],
    ]),
    caption: 'Levels',
  };
  expect(mergeTables(table, mine, theirs)).toEqual({
    result: { ...theirs, caption: 'Levels' },
    conflicts: 0,
  });
});

test('a save keeps an alignment that was changed while the cells were read', () => {
  const theirs = {
    ...table,
    rows: plainRows([
      ['Gauge', 'Level'],
      ['Quay', '2.4'],
    ]),
    as_of: '2026-11-28T13:02:00Z',
  };
  const align: Table['align'] = ['start', 'end'];
  expect(mergeTables(table, { ...table, align }, theirs)).toEqual({
    result: { ...theirs, align },
    conflicts: 0,
  });
  const wider = { ...theirs, rows: reading };
  expect(mergeTables(table, { ...table, align }, wider)).toEqual({ result: wider, conflicts: 0 });
});

test('a save without the address merges its cells as those of any table', () => {
  const theirs = {
    ...table,
    rows: plainRows([
      ['Gauge', 'Level'],
      ['Quay', '2.4'],
    ]),
  };
  const { csv: _, ...mine } = {
    ...table,
    rows: plainRows([
      ['Gauge', 'Level'],
      ['Quay', '99'],
    ]),
  };
  expect(mergeTables(table, mine, theirs)).toEqual({ result: mine, conflicts: 1 });
});

test('a save keeps the cells of a newer reading, and the address that was typed', () => {
  const theirs = {
    ...table,
    rows: plainRows([
      ['Gauge', 'Level'],
      ['Quay', '2.4'],
    ]),
    as_of: '2026-11-28T13:02:00Z',
  };
  expect(mergeTables(table, { ...table, csv: 'https://other.example/' }, theirs)).toEqual({
    result: { ...theirs, csv: 'https://other.example/' },
    conflicts: 0,
  });
});

test('a comparison of versions shows that the address changed', () => {
  const lines = bodyDifference([table], [{ ...table, csv: 'https://other.example/' }], 'en');
  expect(lines.filter(({ side }) => side !== 'same').map(({ kind }) => kind)).toContain('site');
});
