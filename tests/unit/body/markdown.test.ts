import { describe, expect, test } from 'vitest';
import type { Block, Run } from '../../../src/lib/domain/body/blocks.ts';
import { parseBody } from '../../../src/lib/domain/body/source.ts';

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
