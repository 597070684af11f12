import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Alignment, Block, Run } from '../../../src/lib/domain/body/blocks.ts';
import { normalizeRuns } from '../../../src/lib/domain/body/parse-inline.ts';
import { parseBody } from '../../../src/lib/domain/body/source.ts';
import { TABLE_PRESETS } from '../../../src/lib/domain/body/table-presets.ts';
import { writeBody } from '../../../src/lib/domain/body/write-source.ts';

const paragraph = (...runs: Run[]): Block => ({ type: 'paragraph', runs });

describe('parseBody', () => {
  const cases: Record<string, [string, Block[]]> = {
    nothing: ['  \n\n ', []],
    'bold, italic and a link': [
      'A **b** *c* [d](https://e.example/f)',
      [
        paragraph(
          { text: 'A ' },
          { text: 'b', bold: true },
          { text: ' ' },
          { text: 'c', italic: true },
          { text: ' ' },
          { text: 'd', link: 'https://e.example/f' },
        ),
      ],
    ],
    'a line break that begins a paragraph': [
      'One\nTwo  \nThree',
      [paragraph({ text: 'One' }), paragraph({ text: 'Two' }), paragraph({ text: 'Three' })],
    ],
    'bold over a line break': [
      '**One\nTwo**',
      [paragraph({ text: 'One', bold: true }), paragraph({ text: 'Two', bold: true })],
    ],
    lists: [
      '- a\n- b **c**\n\n1. d',
      [
        {
          type: 'list',
          ordered: false,
          items: [[{ text: 'a' }], [{ text: 'b ' }, { text: 'c', bold: true }]],
        },
        { type: 'list', ordered: true, items: [[{ text: 'd' }]] },
      ],
    ],
    'a list within a list': [
      '- a\n  - b\n- c\n  d',
      [{ type: 'list', ordered: false, items: [[{ text: 'a' }], [{ text: 'b' }], [{ text: 'c d' }]] }],
    ],
    'a line that begins with a date': [
      '21. November: The **river** rises.\nMore\nhttps://e.example/a',
      [
        paragraph({ text: '21. November: The ' }, { text: 'river', bold: true }, { text: ' rises.' }),
        paragraph({ text: 'More' }),
        { type: 'link', url: 'https://e.example/a', title: 'e.example/a' },
      ],
    ],
    'a numbered address': ['2. https://e.example/a', [paragraph({ text: '2. https://e.example/a' })]],
    'numbers with paragraphs between them': [
      '1. First\n\nDetails.\n\n2. Second\n\nMore.',
      [
        { type: 'list', ordered: true, items: [[{ text: 'First' }]] },
        paragraph({ text: 'Details.' }),
        paragraph({ text: '2. Second' }),
        paragraph({ text: 'More.' }),
      ],
    ],
    'numbers with a gap': [
      '1. May\n3. May\n\n   Text\n   - a',
      [
        paragraph({ text: '1. May' }),
        paragraph({ text: '3. May' }),
        paragraph({ text: 'Text' }),
        { type: 'list', ordered: false, items: [[{ text: 'a' }]] },
      ],
    ],
    'numbers without text': ['2.\n3)', [paragraph({ text: '2.' }), paragraph({ text: '3)' })]],
    'a list numbered only with ones': [
      '1. a\n1. b',
      [{ type: 'list', ordered: true, items: [[{ text: 'a' }], [{ text: 'b' }]] }],
    ],
    'dates within a list': [
      '- a\n\n  21. May\n- b',
      [{ type: 'list', ordered: false, items: [[{ text: 'a' }], [{ text: '21. May' }], [{ text: 'b' }]] }],
    ],
    'a quote with attribution': [
      '> One\n> two.\n> — Mayor *Ito*',
      [{ type: 'quote', text: 'One\ntwo.', attribution: 'Mayor Ito' }],
    ],
    'a quote with attribution after two hyphens': [
      '> One.\n>\n> -- Ito',
      [{ type: 'quote', text: 'One.', attribution: 'Ito' }],
    ],
    'a quote with an empty attribution': ['> One.\n> — ', [{ type: 'quote', text: 'One.' }]],
    'a quote of a dash alone': ['> — Ito', [{ type: 'quote', text: '— Ito' }]],
    'an address on its own line': [
      'See\nhttps://www.e.example/_a_/b/',
      [
        paragraph({ text: 'See' }),
        { type: 'link', url: 'https://www.e.example/_a_/b/', title: 'e.example/_a_/b' },
      ],
    ],
    'a link with a disallowed address, kept as text': [
      '[a](javascript:alert(1)) [b](/c)',
      [paragraph({ text: '[a](javascript:alert(1)) [b](/c)' })],
    ],
    'a link without text': [
      '[](https://www.e.example/a/)\n**b [](https://e.example/c)**',
      [
        paragraph({ text: 'e.example/a', link: 'https://www.e.example/a/' }),
        paragraph(
          { text: 'b ', bold: true },
          { text: 'e.example/c', bold: true, link: 'https://e.example/c' },
        ),
      ],
    ],
    'a link with a title, kept as text': [
      '[a](https://e.example "Title words") [b](https://e.example "")',
      [
        paragraph(
          { text: '[a](https://e.example "Title words") ' },
          { text: 'b', link: 'https://e.example' },
        ),
      ],
    ],
    'unsupported Markdown, kept as text': [
      '# Head\n\n![alt](https://e.example/p.png)\n\n<b>x</b> `y`\n\n---\n\n| a | b |\n|---|---|\n\n```\nz\n```\n\n    w',
      [
        '# Head',
        '![alt](https://e.example/p.png)',
        '<b>x</b> `y`',
        '---',
        '| a | b |',
        '|---|---|',
        '```',
        'z',
        '```',
        'w',
      ].map((text) => paragraph({ text })),
    ],
    'a table with caption, source and text below it': [
      '| Shelter | Places |\n| :-- | --: |\n| School **hall** | 40 |\n| a \\| b |\n: Open now\n— City \\| Hall\nMore\nhttps://e.example/a',
      [
        {
          type: 'table',
          rows: [
            [[{ text: 'Shelter' }], [{ text: 'Places' }]],
            [[{ text: 'School ' }, { text: 'hall', bold: true }], [{ text: '40' }]],
            [[{ text: 'a | b' }], []],
          ],
          align: ['start', 'end'],
          caption: 'Open now',
          source: 'City | Hall',
        },
        paragraph({ text: 'More' }),
        { type: 'link', url: 'https://e.example/a', title: 'e.example/a' },
      ],
    ],
    'a post': [
      '> The bridge is *closed*.\n>\n> Take Mill Lane.\n> — [Ana \\[City\\]](https://e.example/@ana/1 "@ana@e.example Big Network 2026-11-28T13:58:00Z/2026-11-28T14:02:00Z/2026-11-28T15:10:00Z")\n\nMore',
      [
        {
          type: 'post',
          url: 'https://e.example/@ana/1',
          author: 'Ana [City]',
          handle: '@ana@e.example',
          network: 'Big Network',
          text: 'The bridge is closed.\n\nTake Mill Lane.',
          posted_at: '2026-11-28T13:58:00Z',
          quoted_at: '2026-11-28T14:02:00Z',
          gone_at: '2026-11-28T15:10:00Z',
        },
        paragraph({ text: 'More' }),
      ],
    ],
    'a post with its author only': [
      '> Closed.\n> -- [Ana](https://e.example/1 "/2026-11-28T14:02:00Z")',
      [
        {
          type: 'post',
          url: 'https://e.example/1',
          author: 'Ana',
          text: 'Closed.',
          quoted_at: '2026-11-28T14:02:00Z',
        },
      ],
    ],
    'the time of the data and the kind of a table, in any order and language': [
      '| a |\n|---|\n| b |\n= Cierres\n@ 2026-11-28 14:02\n: Roads',
      [
        {
          type: 'table',
          rows: [[[{ text: 'a' }]], [[{ text: 'b' }]]],
          caption: 'Roads',
          as_of: '2026-11-28T14:02:00Z',
          preset: 'closures',
        },
      ],
    ],
    'an unknown time and kind below a table, kept as text': [
      '| a |\n|---|\n| b |\n= league\n@ 2026-02-30 14:02\n@ noon',
      [
        { type: 'table', rows: [[[{ text: 'a' }]], [[{ text: 'b' }]]] },
        ...['@ 2026-02-30 14:02', '= league', '@ noon'].map((text) => paragraph({ text })),
      ],
    ],
    'a table without names of columns, and a row with more cells': [
      '| |\n|-|\n| a | b |',
      [
        {
          type: 'table',
          rows: [
            [[], []],
            [[{ text: 'a' }], [{ text: 'b' }]],
          ],
        },
      ],
    ],
    'a video with title and description between lines': [
      'Look\nhttps://youtu.be/dQw4w9WgXcQ?si=x\n: The *flood*\n:\n: Filmed &#10; at noon\n: - by us\nMore\nhttps://vimeo.com/1',
      [
        paragraph({ text: 'Look' }),
        {
          type: 'media',
          url: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
          title: 'The *flood*',
          description: 'Filmed &#10; at noon\n- by us',
        },
        paragraph({ text: 'More' }),
        { type: 'media', url: 'https://vimeo.com/1', title: 'vimeo.com/1' },
      ],
    ],
    'a file of the newsroom by its path, with title and description': [
      'Look\n/media/0f1e2d3c-4b5a-4697-8877-665544332211/900-9.mp3\n: The flood\n: It is heard.\n/media/x',
      [
        paragraph({ text: 'Look' }),
        {
          type: 'media',
          url: '/media/0f1e2d3c-4b5a-4697-8877-665544332211/900-9.mp3',
          title: 'The flood',
          description: 'It is heard.',
        },
        paragraph({ text: '/media/x' }),
      ],
    ],
    'a video with a title that is too long': [
      `https://vimeo.com/1\n: ${'x'.repeat(301)}`,
      [{ type: 'media', url: 'https://vimeo.com/1', title: 'vimeo.com/1', description: 'x'.repeat(301) }],
    ],
    'the address of a video within a line, and in a list': [
      'See https://vimeo.com/1\n\n- https://vimeo.com/1',
      [
        paragraph({ text: 'See https://vimeo.com/1' }),
        { type: 'list', ordered: false, items: [[{ text: 'https://vimeo.com/1' }]] },
      ],
    ],
    'an empty table, which is left out': [
      'Before\n\n|  |  |\n| --- | --- |\n|  |  |',
      [paragraph({ text: 'Before' })],
    ],
    'a map alone on its line': [
      'There\n[School \\[old\\] *hall*](geo:53.69,-0.44?z=15)\n[x](geo:95,200)',
      [
        paragraph({ text: 'There' }),
        { type: 'map', name: 'School [old] hall', latitude: 53.69, longitude: -0.44, zoom: 15 },
        { type: 'map', name: 'x', latitude: 95, longitude: 200 },
      ],
    ],
    'a map within a sentence, and one without coordinates, as typed': [
      'See [hall](geo:53.69,-0.44).\n\n[hall](geo:here)',
      [paragraph({ text: 'See [hall](geo:53.69,-0.44).' }), paragraph({ text: '[hall](geo:here)' })],
    ],
    'an underscore within a word': ['snake_case_name', [paragraph({ text: 'snake_case_name' })]],
    'control characters, replaced by spaces': ['a\tb\u0007c', [paragraph({ text: 'a b c' })]],
  };
  test.each(Object.entries(cases))('reads %s', (_name, [source, body]) => {
    expect(parseBody(source)).toEqual(body);
  });

  test('keeps the title of a known link', () => {
    const link: Block = { type: 'link', url: 'https://e.example/a', title: 'A title', site: 'E' };
    expect(parseBody('https://e.example/a\n\nhttps://e.example/b', [link])).toEqual([
      link,
      { type: 'link', url: 'https://e.example/b', title: 'e.example/b' },
    ]);
  });

  test('takes the title of a video from its link preview until one is typed', () => {
    const preview: Block = {
      type: 'link',
      url: 'https://youtu.be/dQw4w9WgXcQ',
      title: 'A',
      description: 'B',
    };
    const url = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ';
    expect(parseBody(preview.url, [preview])).toEqual([{ type: 'media', url, title: 'A', description: 'B' }]);
    expect(parseBody(`${url}\n: C`, [preview])).toEqual([{ type: 'media', url, title: 'C' }]);
  });
});

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

test.each([
  '[Ana](https://e.example/1 "2026-11-28T14:02:00Z")',
  '[Ana](https://e.example/1 "/2026-02-30T14:02:00Z")',
  '[Ana](https://e.example/1 "/2026-11-28T24:00:00Z")',
  '[Ana](https://e.example/1 "/2026-11-28T14:02:00Z//")',
  '[Ana](javascript:alert "/2026-11-28T14:02:00Z")',
  '[](https://e.example/1 "/2026-11-28T14:02:00Z")',
])('keeps a quote with a link that is no post: %s', (attribution) => {
  expect(parseBody(`> Closed.\n> — ${attribution}`)).toEqual([
    { type: 'quote', text: 'Closed.', attribution },
  ]);
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
