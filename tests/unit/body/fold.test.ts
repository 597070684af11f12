import { expect, test } from 'vitest';
import { type Block, type Body, bodyText, type Table } from '../../../src/lib/domain/body/blocks.ts';
import { fold, truncateBody } from '../../../src/lib/domain/body/fold.ts';

const paragraph = (text: string): Block => ({ type: 'paragraph', runs: [{ text }] });
const sentence = 'Twenty characters. ';
const length = (body: Body) => bodyText(body).length;

test('does not fold a short body', () => {
  const body = [paragraph('x'.repeat(1000)), paragraph('y'.repeat(500))];
  expect(fold(body)).toEqual({ shown: body, folded: [] });
});

test('folds between blocks', () => {
  const body = [
    paragraph('a'.repeat(900)),
    paragraph('b'.repeat(500)),
    paragraph('c'.repeat(500)),
    paragraph('d'),
  ];
  expect(fold(body)).toEqual({ shown: body.slice(0, 2), folded: body.slice(2) });
});

test('folds a single long paragraph between sentences without losing text', () => {
  const runs = [
    { text: sentence.repeat(40) },
    { text: sentence.repeat(60), bold: true, link: 'https://example.org' },
  ];
  const { shown, folded } = fold([{ type: 'paragraph', runs }]);
  expect(length(shown)).toBeLessThanOrEqual(1500);
  expect(length(shown)).toBeGreaterThan(1400);
  expect(bodyText(shown)).toMatch(/\. $/);
  expect(bodyText(shown) + bodyText(folded)).toBe(sentence.repeat(100));
  expect(folded).toEqual([
    { type: 'paragraph', runs: [expect.objectContaining({ bold: true, link: 'https://example.org' })] },
  ]);
});

test('does not fold a body that is up to a fifth longer, and splits a second paragraph to fill the space', () => {
  expect(fold([paragraph('word '.repeat(360))]).folded).toEqual([]);
  const [first, second] = [paragraph(sentence.repeat(40)), paragraph(sentence.repeat(60))];
  const { shown, folded } = fold([first as Block, second as Block], 1000);
  expect(length(shown)).toBeGreaterThan(980);
  expect(bodyText([...shown.slice(1), ...folded]).replaceAll('\n', '')).toBe(sentence.repeat(60));
});

test('does not split a long word or an ordered list', () => {
  const word = [paragraph('x'.repeat(3000)), paragraph('after')];
  expect(fold(word)).toEqual({ shown: word.slice(0, 1), folded: word.slice(1) });
  const list: Block = { type: 'list', ordered: true, items: Array(99).fill([{ text: sentence }]) };
  expect(fold([list])).toEqual({ shown: [list], folded: [] });
});

test('splits quotes between sentences and lists between items, and keeps the attribution at the end', () => {
  const quote: Block = { type: 'quote', text: sentence.repeat(100), attribution: 'Ada' };
  const cut = fold([quote]);
  expect([...cut.shown, ...cut.folded]).toEqual([
    { type: 'quote', text: sentence.repeat(78) },
    { ...quote, text: sentence.repeat(22) },
  ]);
  const list: Block = { type: 'list', items: Array(99).fill([{ text: sentence }]) };
  const { shown, folded } = fold([paragraph('a'.repeat(500)), list]);
  expect([...shown.slice(1), ...folded]).toEqual([
    { type: 'list', items: list.items.slice(0, 50) },
    { type: 'list', items: list.items.slice(50) },
  ]);
});

test('counts URLs and photos, so that forty of them are folded', () => {
  const link: Block = { type: 'link', url: `https://example.org/${'x'.repeat(480)}`, title: 'A page' };
  expect(fold(Array(40).fill(link)).shown).toHaveLength(3);
  expect(fold(Array(40).fill({ type: 'photo', photo: 'p' })).shown).toHaveLength(10);
});

const address = `https://example.org/${'x'.repeat(2000)}`;
test.for<[string, Block, Block[]]>([
  ['a word', paragraph('x'.repeat(300)), [paragraph(`${'x'.repeat(99)}…`)]],
  ['Chinese', paragraph('水位上升。'.repeat(99)), [paragraph('水位上升。'.repeat(20))]],
  ['a link', { type: 'link', url: address, title: 'A page' }, [paragraph('A page')]],
  ['the text of a link', { type: 'paragraph', runs: [{ text: 'here', link: address }] }, [paragraph('here')]],
  [
    'an ordered list',
    { type: 'list', ordered: true, items: Array(9).fill([{ text: sentence }]) },
    [{ type: 'list', ordered: true, items: Array(5).fill([{ text: sentence }]) }],
  ],
])('truncates any block: %s', ([_, block, shown]) => {
  expect(truncateBody([block, paragraph('more')], 100)).toEqual({ shown, more: true });
});

test('does not truncate a short body', () => {
  const body = [paragraph('a'), paragraph('b')];
  expect(truncateBody(body, 100)).toEqual({ shown: body, more: false });
});

const tableOf = (rows: number, cell = 'x'): Table => ({
  type: 'table',
  rows: Array.from({ length: rows + 1 }, (_, row) => [[{ text: row ? cell : 'Name' }], [{ text: `${row}` }]]),
  caption: 'Results',
  source: 'City hall',
  as_of: '2026-11-28T14:02:00Z',
});

test('shows twelve rows of a long table, and the names of its columns again above the others', () => {
  const table = tableOf(40);
  const { caption: _, source: __, as_of: ___, ...plain } = table;
  const { shown, folded } = fold([paragraph('Before'), table, paragraph('After')]);
  expect(shown).toEqual([paragraph('Before'), { ...table, rows: table.rows.slice(0, 13) }]);
  expect(folded).toEqual([{ ...plain, rows: [table.rows[0], ...table.rows.slice(13)] }, paragraph('After')]);
});

test('says that a long table is not updated in its first part only', () => {
  const table: Table = { ...tableOf(40), csv: 'https://port.example/a.csv', stale: true };
  const { shown, folded } = fold([table]);
  expect(shown).toMatchObject([{ stale: true, as_of: table.as_of }]);
  expect(folded).toHaveLength(1);
  expect(folded[0]).not.toHaveProperty('stale');
});

test('does not fold a few more rows, and folds wide rows by their length', () => {
  expect(fold([tableOf(15)]).folded).toEqual([]);
  const { shown, folded } = fold([tableOf(14, 'word '.repeat(50))]);
  const rowsOf = ([block]: Body) => (block?.type === 'table' ? block.rows.length - 1 : 0);
  expect([rowsOf(shown), rowsOf(folded)]).toEqual([5, 9]);
});

test('does not split a short post', () => {
  const post: Block = {
    type: 'post',
    url: 'https://e.example/1',
    author: 'Ana',
    text: 'A sentence. '.repeat(40).trim(),
    quoted_at: '2026-11-28T14:02:00Z',
  };
  expect(fold([paragraph('a'.repeat(1200)), post, paragraph('b'.repeat(200))])).toEqual({
    shown: [paragraph('a'.repeat(1200))],
    folded: [post, paragraph('b'.repeat(200))],
  });
});

test('names the author of a long post in the shown part', () => {
  const post: Block = {
    type: 'post',
    url: 'https://e.example/1',
    author: 'Ana',
    text: `${'A sentence. '.repeat(200)}The end.`,
    quoted_at: '2026-11-28T14:02:00Z',
  };
  const { shown, folded } = fold([post, paragraph('After')]);
  expect(shown).toMatchObject([{ type: 'post', author: 'Ana' }]);
  expect(folded).toMatchObject([
    { type: 'quote', text: expect.stringMatching(/The end\.$/) },
    paragraph('After'),
  ]);
  expect([...shown, ...folded].map((block) => ('text' in block ? block.text : '')).join('')).toBe(post.text);
});

test('begins a table that does not fit in the folded part', () => {
  const body = [paragraph('a'.repeat(1480)), tableOf(20)];
  expect(fold(body)).toEqual({ shown: [body[0]], folded: [body[1]] });
  expect(truncateBody([tableOf(20, 'word '.repeat(80))], 100).shown).toEqual([
    paragraph(expect.stringContaining('Results')),
  ]);
});

test('folds the description of a video between sentences without losing text', () => {
  const video: Block = { type: 'media', url: 'https://vimeo.com/1', title: 'The bridge' };
  const whole = [{ ...video, description: `${sentence.repeat(90)}\n${sentence.repeat(60)}` }];
  const { shown, folded } = fold(whole);
  expect(shown).toMatchObject([{ ...video, description: expect.stringMatching(/\.$/) }]);
  expect(folded.map(({ type }) => type)).toEqual(['paragraph', 'paragraph']);
  const plain = (body: Body) => bodyText(body).replace(/\s+/g, ' ').trim();
  expect(plain([...shown, ...folded])).toBe(plain(whole));
  expect(fold([video, paragraph('a'.repeat(1800))], 10).shown).toEqual([video]);
});
