import { expect, test } from 'vitest';
import { replaceTable, tablesIn } from '../../../src/lib/domain/body/edit.ts';
import { parseBody } from '../../../src/lib/domain/body/source.ts';

const TEXT = `Before

| Road | State |
| :-- | --: |
| Mill \\| Lane | **closed** |
| Quay |
: Roads
— County \\| highways
@ 2026-11-28 14:02
= closures
[photo 1]

| A |
| --- |
| b |

After`;

test('finds the tables of a text with the Markdown of their cells', () => {
  const [first, second, ...others] = tablesIn(TEXT);
  expect(first).toMatchObject({
    cells: [
      ['Road', 'State'],
      ['Mill | Lane', '**closed**'],
      ['Quay', ''],
    ],
    align: ['start', 'end'],
    fields: { caption: 'Roads', source: 'County | highways', as_of: '2026-11-28 14:02', preset: 'closures' },
  });
  expect(TEXT.slice(first?.from, first?.to)).toMatch(/^\| Road .*\n= closures$/s);
  expect(second?.cells).toEqual([['A'], ['b']]);
  expect(others).toEqual([]);
});

test('changes one cell and leaves the rest of the text', () => {
  const [first] = tablesIn(TEXT);
  if (!first) throw new Error('No table.');
  const cells = first.cells.map((row, index) => (index === 2 ? ['Quay', ' open |\n late '] : row));
  const text = replaceTable(TEXT, { ...first, cells, fields: { ...first.fields, caption: '' } });
  expect(text).toBe(
    TEXT.replace('| :-- | --: |', '| --- | ---: |')
      .replace('| Quay |', '| Quay | open \\| late |')
      .replace(': Roads\n', ''),
  );
  expect(parseBody(text)[1]).toMatchObject({
    rows: [
      [[{ text: 'Road' }], [{ text: 'State' }]],
      [[{ text: 'Mill | Lane' }], [{ text: 'closed', bold: true }]],
      [[{ text: 'Quay' }], [{ text: 'open | late' }]],
    ],
  });
});

test.each([
  ['text without a table', 'a | b'],
  ['only names of columns', '| a |\n| --- |'],
  ['text that consists of marks', '>'.repeat(50_000)],
])('finds no table in %s', (_, text) =>
  expect(tablesIn(text).filter(({ cells }) => cells.length > 1)).toEqual([]),
);

test('finds the cells of an empty table', () => {
  expect(tablesIn('|  |  |\n| --- | --- |\n|  |  |')[0]?.cells).toEqual([
    ['', ''],
    ['', ''],
  ]);
});
