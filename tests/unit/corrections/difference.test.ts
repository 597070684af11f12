import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Body, Run } from '../../../src/lib/domain/body/blocks.ts';
import {
  type BodyLine,
  bodyDifference,
  type DiffSpan,
  type LineDifference,
  linesOfBody,
  type Side,
  textDifference,
} from '../../../src/lib/domain/difference.ts';

const render = (spans: DiffSpan[]) =>
  spans.map(({ text, side }) => ({ same: text, added: `+${text}+`, removed: `-${text}-` })[side]).join('');

const paragraph = (...runs: (Run | string)[]): Body[number] => ({
  type: 'paragraph',
  runs: runs.map((run) => (typeof run === 'string' ? { text: run } : run)),
});

test.for([
  ['', '', ''],
  ['', 'Gates shut', '+Gates shut+'],
  ['Gates shut', '', '-Gates shut-'],
  ['The gates are shut.', 'The gates are open.', 'The gates are -shut-+open+.'],
  ['At noon', 'At noon today', 'At noon+ today+'],
  ['Two gates  shut', 'Two gates shut', 'Two gates-  -+ +shut'],
  ['foo bar baz', 'foo baz', 'foo -bar -baz'],
  ['Water at 3.50 m, rising', 'Water at 3.05 m, rising', 'Water at -3.50-+3.05+ m, rising'],
] as const)('%j became %j', ([before, after, expected]) => {
  expect(render(textDifference(before, after, 'en'))).toBe(expected);
});

test('finds words without spaces, and in unknown languages', () => {
  expect(render(textDifference('大桥已经关闭', '大桥已经开放', 'zh'))).toBe('大桥已经-关闭-+开放+');
  expect(render(textDifference('One two', 'One three', 'en-x'))).toBe('One -two-+three+');
});

test('shows a changed line once, and unrelated lines separately', () => {
  const before = [paragraph('The bridge is shut.'), paragraph('Crews are out.'), paragraph('More soon.')];
  const after = [
    paragraph('A flood warning is in force until noon.'),
    paragraph('The bridge is open.'),
    paragraph('More soon.'),
  ];
  expect(bodyDifference(before, after, 'en').map(({ side, spans }) => [side, render(spans)])).toEqual([
    ['added', '+A flood warning is in force until noon.+'],
    ['changed', 'The bridge is -shut-+open+.'],
    ['removed', '-Crews are out.-'],
    ['same', 'More soon.'],
  ]);
});

test('shows changed links and marks under equal text', () => {
  const before = [paragraph('See ', { text: 'the notice', link: 'https://a.example/' }, ' now')];
  const after = [paragraph('See ', { text: 'the notice', link: 'https://b.example/' }, ' now')];
  expect(bodyDifference(before, after, 'en')[0]?.spans).toEqual([
    { text: 'See ', side: 'same' },
    { text: 'the notice', link: 'https://a.example/', side: 'removed' },
    { text: 'the notice', link: 'https://b.example/', side: 'added' },
    { text: ' now', side: 'same' },
  ]);
  expect(
    bodyDifference([paragraph('Now')], [paragraph({ text: 'Now', bold: true })], 'en')[0]?.spans,
  ).toEqual([
    { text: 'Now', side: 'removed' },
    { text: 'Now', bold: true, side: 'added' },
  ]);
});

/* Bodies of few words, so that two of them are similar. */
const text = fc
  .array(fc.constantFrom('a', 'b', 'the', 'gate', '.', ' ', '  ', 'שער', '水', '👩‍🚒', '\u00a0'), {
    minLength: 1,
    maxLength: 8,
  })
  .map((words) => words.join(''));
const run: fc.Arbitrary<Run> = fc.record(
  { text, bold: fc.constant(true), link: fc.constantFrom('https://a.example/', 'https://b.example/') },
  { requiredKeys: ['text'] },
);
const runs = fc.array(run, { minLength: 1, maxLength: 3 });
const body: fc.Arbitrary<Body> = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('paragraph' as const), runs }),
    fc.record({
      type: fc.constant('list' as const),
      ordered: fc.boolean(),
      items: fc.array(runs, { minLength: 1 }),
    }),
    fc.record({
      type: fc.constant('quote' as const),
      text: fc.tuple(text, text).map((two) => two.join('\n')),
      attribution: text,
    }),
    fc.record({
      type: fc.constant('link' as const),
      url: fc.constant('https://a.example/'),
      title: text,
      site: text,
    }),
    fc.record({ type: fc.constant('photo' as const), photo: fc.uuid() }),
  ),
  { maxLength: 5 },
);

/** Characters of lines with their marks, because runs may be split anywhere. */
const letters = (lines: BodyLine[]) =>
  lines.map(({ kind, runs }) => [
    kind,
    ...runs.flatMap(({ text, bold, link }) => [...text].map((letter) => [letter, bold, link].join('|'))),
  ]);
const sideOf = (differences: LineDifference[], side: Side) =>
  differences
    .filter((line) => line.side === 'same' || line.side === 'changed' || line.side === side)
    .map(({ kind, spans }) => ({
      kind,
      runs: spans.filter((span) => span.side === 'same' || span.side === side),
    }));

test('both versions can be reconstructed from the difference', () => {
  fc.assert(
    fc.property(body, body, (before, after) => {
      const differences = bodyDifference(before, after, 'en');
      expect(letters(sideOf(differences, 'removed'))).toEqual(letters(linesOfBody(before)));
      expect(letters(sideOf(differences, 'added'))).toEqual(letters(linesOfBody(after)));
    }),
    { numRuns: 300 },
  );
});

test('shows long unrelated texts as removed and added', () => {
  const long = (word: string) => Array.from({ length: 2_000 }, (_, n) => `${word}${n}`).join(' ');
  expect(textDifference(long('a'), long('b'), 'en').map(({ side }) => side)).toEqual(['removed', 'added']);
});

test('compares the name and the coordinates of a map', () => {
  const map = (latitude: number): Body[number] => ({
    type: 'map',
    name: 'School hall',
    latitude,
    longitude: -0.44213,
    zoom: 15,
  });
  const lines = bodyDifference([map(53.6)], [map(53.7)], 'en');
  expect(lines.map(({ kind, spans }) => [kind, render(spans)])).toEqual([
    ['link', 'School hall'],
    ['about', '-53.6-+53.7+, -0.44213 (z 15)'],
  ]);
});

test('compares the time and the kind of a table as a whole', () => {
  const table = (as_of: string, more: object = {}): Body[number] => ({
    type: 'table',
    rows: [[[{ text: 'A' }]], [[{ text: '1' }]]],
    as_of,
    ...more,
  });
  const [first, second] = ['2026-11-28T14:02:00Z', '2026-11-28T14:12:00Z'];
  const lines = bodyDifference([table(first)], [table(second, { preset: 'results' })], 'en');
  expect(lines.filter(({ side }) => side !== 'same')).toEqual([
    { kind: 'as_of', side: 'removed', spans: [{ text: first, side: 'removed' }] },
    { kind: 'as_of', side: 'added', spans: [{ text: second, side: 'added' }] },
    { kind: 'preset', side: 'added', spans: [{ text: 'results', side: 'added' }] },
  ]);
});

test('compares a table row by row', () => {
  const table = (places: string): Body[number] => ({
    type: 'table',
    rows: [
      [[{ text: 'Shelter' }], [{ text: 'Places' }]],
      [[{ text: 'School hall' }], [{ text: places }]],
    ],
    caption: 'Open now',
  });
  const lines = bodyDifference([table('40')], [table('35')], 'en');
  expect(lines.map(({ kind, spans }) => [kind, render(spans)])).toEqual([
    ['caption', 'Open now'],
    ['cells', 'Shelter | Places'],
    ['cells', 'School hall | -40-+35+'],
  ]);
});

test('compares a post with its source and times', () => {
  const post = (more: object): Body[number] => ({
    type: 'post',
    url: 'https://e.example/1',
    author: 'Ana',
    handle: '@ana',
    network: 'Bluesky',
    text: 'It is closed.\nStay away.',
    quoted_at: '2026-11-28T14:02:00Z',
    ...more,
  });
  const lines = bodyDifference([post({})], [post({ gone_at: '2026-11-28T15:10:00Z' })], 'en');
  expect(lines.map(({ kind, spans }) => [kind, render(spans)])).toEqual([
    ['quote', 'It is closed.'],
    ['quote', 'Stay away.'],
    ['source', 'Ana @ana, Bluesky'],
    ['quoted', '2026-11-28T14:02:00Z'],
    ['gone', '+2026-11-28T15:10:00Z+'],
  ]);
});

test('compares the title, address and description of a video', () => {
  const video = (title: string, description: string): Body[number] => ({
    type: 'media',
    url: 'https://vimeo.com/1',
    title,
    description,
  });
  const lines = bodyDifference(
    [video('The old bridge', 'One.\nTwo.')],
    [video('The new bridge', 'One.')],
    'en',
  );
  expect(lines.map(({ kind, spans }) => [kind, render(spans)])).toEqual([
    ['link', 'The -old-+new+ bridge'],
    ['about', 'One.'],
    ['about', '-Two.-'],
  ]);
});
