import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Alignment, Block, Run } from '../../../src/lib/domain/body/blocks.ts';
import { normalizeRuns } from '../../../src/lib/domain/body/parse-inline.ts';
import { parseBody } from '../../../src/lib/domain/body/source.ts';
import { TABLE_PRESETS } from '../../../src/lib/domain/body/table-presets.ts';
import { writeBody } from '../../../src/lib/domain/body/write-source.ts';

const paragraph = (...runs: Run[]): Block => ({ type: 'paragraph', runs });

/** Text with all characters that have a meaning in Markdown or in this parser. */
const words = fc
  .array(
    fc.constantFrom(
      'a',
      'B',
      ' ',
      '*',
      '**',
      '[',
      ']',
      '(',
      ')',
      '!',
      '<',
      '>',
      '&amp;',
      '&',
      '\\',
      '`',
      '#',
      '-',
      '— ',
      '--',
      '+',
      '1.',
      '1)',
      '2. ',
      '21) ',
      '~',
      '|',
      ':',
      '"',
      'é',
      '🙂',
      'https://e.example',
    ),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  .map((parts) => parts.join(''));
const run: fc.Arbitrary<Run> = fc.record(
  {
    text: words,
    bold: fc.constant(true),
    italic: fc.constant(true),
    link: fc.constantFrom('https://e.example/a_b_(c)', 'http://f.example/?q=1&copy=2'),
  },
  { requiredKeys: ['text'] },
);
const runs = fc
  .array(run, { minLength: 1, maxLength: 4 })
  .map(normalizeRuns)
  .filter((line) => line.length > 0);
const quoteText = fc.array(words, { minLength: 1, maxLength: 3 }).map((lines) =>
  lines
    .map((l) => l.trim())
    .join('\n')
    .trim(),
);
const block: fc.Arbitrary<Block> = fc.oneof(
  runs
    .filter(
      (line) =>
        !line
          .map((r) => r.text)
          .join('')
          .trim()
          .startsWith('https://e.example'),
    )
    .map((line): Block => ({ type: 'paragraph', runs: line })),
  fc
    .record({ ordered: fc.boolean(), items: fc.array(runs, { minLength: 1, maxLength: 3 }) })
    .map((list): Block => ({ type: 'list', ...list })),
  fc
    .record(
      {
        text: quoteText.filter((t) => t !== ''),
        attribution: words.map((w) => w.trim()).filter((w) => w !== ''),
      },
      { requiredKeys: ['text'] },
    )
    .map((quote): Block => ({ type: 'quote', ...quote })),
  fc
    .integer({ min: 1, max: 3 })
    .chain((columns) => {
      const rowOf = fc.array(fc.oneof(runs, fc.constant<Run[]>([])), {
        minLength: columns,
        maxLength: columns,
      });
      return fc.record(
        {
          rows: fc.array(rowOf, { minLength: 2, maxLength: 4 }).filter((rows) => rows.flat(2).length > 0),
          align: fc
            .array(fc.constantFrom<Alignment>('start', 'center', 'end'), {
              minLength: columns,
              maxLength: columns,
            })
            .filter((align) => align.some((alignment) => alignment !== 'start')),
          caption: words.map((w) => w.trim()).filter((w) => w !== ''),
          source: words.map((w) => w.trim()).filter((w) => w !== ''),
          as_of: fc.constantFrom('2026-11-28T14:02:00Z', '2026-11-28T14:02:30Z'),
          preset: fc.constantFrom(...TABLE_PRESETS),
        },
        { requiredKeys: ['rows'] },
      );
    })
    .map((table): Block => ({ type: 'table', ...table })),
  fc
    .record(
      {
        name: words.map((w) => w.trim()).filter((w) => w !== ''),
        latitude: fc.integer({ min: -9_000_000, max: 9_000_000 }).map((n) => n / 1e5 + 0),
        longitude: fc.integer({ min: -18_000_000, max: 18_000_000 }).map((n) => n / 1e5 + 0),
        zoom: fc.integer({ min: 1, max: 18 }),
      },
      { requiredKeys: ['name', 'latitude', 'longitude'] },
    )
    .map((place): Block => ({ type: 'map', ...place })),
  fc
    .record(
      {
        url: fc.constantFrom('https://e.example/@a/1', 'https://e.example/a_(b)?c=d&amp;e'),
        author: words.map((w) => w.trim()).filter((w) => w !== ''),
        handle: fc.constantFrom('@ana', '@ana_b@e.example', '@a"b\\'),
        network: words.map((w) => w.trim()).filter((w) => w !== ''),
        text: quoteText.filter((t) => t !== ''),
        posted_at: fc.constant('2026-11-28T13:58:00Z'),
        quoted_at: fc.constant('2026-11-28T14:02:00Z'),
        gone_at: fc.constant('2026-11-28T15:10:00Z'),
      },
      { requiredKeys: ['url', 'author', 'text', 'quoted_at'] },
    )
    .map((post): Block => ({ type: 'post', ...post })),
  fc
    .record(
      {
        url: fc.constantFrom('https://vimeo.com/1', '/media/0f1e2d3c-4b5a-4697-8877-665544332211/900-9.mp3'),
        title: words.map((w) => w.trim()).filter((w) => w !== ''),
        description: quoteText.filter((text) => text !== ''),
      },
      { requiredKeys: ['url', 'title'] },
    )
    .map((about): Block => ({ type: 'media', ...about })),
  fc.constant<Block>({ type: 'link', url: 'https://e.example/_x_/*y*', title: 'T', description: 'D' }),
);

test('a body is unchanged after writing and parsing', () => {
  fc.assert(
    fc.property(fc.array(block, { minLength: 1, maxLength: 4 }), (body) => {
      expect(parseBody(writeBody(body), body)).toEqual(body);
    }),
    { numRuns: 150 },
  );
});

test.each(['-\n- a', '1.\n1. a', '+\n+ a', '#\n# a', '-\n> a', '—\n— a'])(
  'keeps the lines of a quote: %j',
  (text) => {
    const body: Block[] = [{ type: 'quote', text, attribution: 'A ferryman' }];
    expect(parseBody(writeBody(body), body)).toEqual(body);
  },
);

test('writes the time of the data in the zone, and in UTC where the zone cannot tell it', () => {
  const words = { timeZone: 'Europe/Madrid', nameOf: () => 'Cierres' };
  const read = (as_of: string) => {
    const body: Block[] = [
      { type: 'table', rows: [[[{ text: 'a' }]], [[{ text: 'b' }]]], as_of, preset: 'closures' },
    ];
    const text = writeBody(body, undefined, words);
    expect(parseBody(text, [], 'Europe/Madrid')).toEqual(body);
    return text.split('\n').slice(3);
  };
  expect(read('2026-11-28T13:02:00Z')).toEqual(['@ 2026-11-28 14:02', '= cierres']);
  // The clocks go back, so that 02:30 occurs twice.
  expect(read('2026-10-25T00:30:00Z')).toEqual(['@ 2026-10-25 02:30', '= cierres']);
  expect(read('2026-10-25T01:30:00Z')).toEqual(['@ 2026-10-25T01:30:00Z', '= cierres']);
  expect(read('2026-11-28T13:02:10Z')).toEqual(['@ 2026-11-28T13:02:10Z', '= cierres']);
});

test.each(['2. May', '1. May', '21) May', '2.'])(
  'keeps a paragraph apart from the lists around it: %s',
  (text) => {
    const list: Block = { type: 'list', ordered: true, items: [[{ text }], [{ text: 'b' }]] };
    const body: Block[] = [list, paragraph({ text }), paragraph({ text }), list];
    expect(parseBody(writeBody(body))).toEqual(body);
  },
);

test('keeps a paragraph that looks like a map', () => {
  const body: Block[] = [paragraph({ text: '[hall](geo:53.69,-0.44)' })];
  expect(parseBody(writeBody(body))).toEqual(body);
});

test('escapes only where necessary', () => {
  const line = 'AT&T_x [sic] 50 * 2 <3 https://e.example/a_b_c #7 (x) ~1';
  expect(writeBody([paragraph({ text: line })])).toBe(line);
  expect(writeBody([paragraph({ text: '*a*' })])).toBe('\\*a\\*');
});
