import { describe, expect, test } from 'vitest';
import { bodyFromWordPress } from '../../../src/lib/cli/import/wordpress-body.ts';
import { bodyText } from '../../../src/lib/domain/body/blocks.ts';

describe('a text', () => {
  const base = 'https://old.example/2015/01/storm/';
  const blocks = (html: string) => bodyFromWordPress(html, base);
  const told = (html: string) => bodyText(blocks(html)).replaceAll('\n\n', ' | ');

  test.for([
    ['One line\nand the next.\n\nA new one.', 'One line | and the next. | A new one.'],
    ['<p>One</p>\n\n<p>two</p>\n<ul>\n<li>three</li>\n<li>four</li>\n</ul>', 'One | two | three\nfour'],
    ['<pre>a\nb</pre>', 'a b'],
    [
      '[caption id="x" width="300"]<img src="/a/flood.jpg" alt="The quay" /> Under water[/caption]',
      'The quay | Under water',
    ],
    ['<img src="/a/flood.jpg?w=3">', 'flood.jpg'],
    ['So sad <img class="liveblog-emoji emoji-cry" src="/cry.png" data-emoji="cry">', 'So sad :cry:'],
    ['[embed width="4"]https://video.example/1[/embed] Watch.', 'https://video.example/1 | Watch.'],
    ['Before [gallery ids="1,2"] after', 'Before | after'],
    ['[tweet https://t.example/1]', 'https://t.example/1'],
    ['[video src="https://v.example/a.mp4"][/video]', 'https://v.example/a.mp4'],
    ['“[sic]” he said. [applause] [[embed]]', '“[sic]” he said. [applause] [[embed]]'],
    ['<iframe src="https://map.example/?a=1&amp;b=2" title="A map"></iframe>', 'A map'],
    ['<script>alert(1)</script>Safe', 'Safe'],
    ['Hash <span class="liveblog-hash term-flood">flood</span>', 'Hash flood'],
  ] as const)('%j is told as %j', ([html, text]) => {
    expect(told(html)).toBe(text);
  });

  test('bare URLs, images and embeds become links', () => {
    const links = blocks(
      'See https://a.example/x?y=1. And <a href="/b">https://b.example</a> and <img src="c.jpg" alt="c"> ' +
        '<a href="https://d.example"><img src="d.jpg" alt="d"></a> <iframe src="//e.example/x"></iframe> javascript:alert(1)',
    ).flatMap((block) => (block.type === 'paragraph' ? block.runs : []));
    expect(links.flatMap(({ link, text }) => (link ? [[text, link]] : []))).toEqual([
      ['https://a.example/x?y=1', 'https://a.example/x?y=1'],
      ['https://b.example', 'https://old.example/b'],
      ['c', 'https://old.example/2015/01/storm/c.jpg'],
      ['d', 'https://d.example/'],
      ['//e.example/x', 'https://e.example/x'],
    ]);
  });

  test('quotes, lists, bold and italic text stay', () => {
    expect(blocks('<blockquote><p>Stay in.</p>— The mayor</blockquote><ol><li>a <b>b</b></li></ol>')).toEqual(
      [
        { type: 'quote', text: 'Stay in.', attribution: 'The mayor' },
        { type: 'list', ordered: true, items: [[{ text: 'a ' }, { text: 'b', bold: true }]] },
      ],
    );
  });

  test('players, maps and tables stay, as the editor of blocks and older ones write them', () => {
    const video = { type: 'media', url: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ' };
    expect(
      blocks(
        '<!-- wp:embed {"url":"https://youtu.be/dQw4w9WgXcQ"} --><figure class="wp-block-embed"><div class="wp-block-embed__wrapper">\nhttps://youtu.be/dQw4w9WgXcQ\n</div></figure><!-- /wp:embed -->' +
          '<iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ" title="The bridge falls" allowfullscreen></iframe>' +
          '<iframe src="https://www.google.com/maps?q=53.69,-0.44&output=embed"></iframe>' +
          '<figure class="wp-block-table"><table><thead><tr><th>Road</th><th>State</th></tr></thead><tbody><tr><td>Quay</td><td><b>closed</b></td></tr></tbody></table></figure>',
      ),
    ).toMatchObject([
      video,
      { ...video, title: 'The bridge falls' },
      { type: 'map', latitude: 53.69, longitude: -0.44 },
      {
        type: 'table',
        rows: [
          [[{ text: 'Road' }], [{ text: 'State' }]],
          [[{ text: 'Quay' }], [{ text: 'closed', bold: true }]],
        ],
      },
    ]);
    // A link keeps its address.
    expect(
      told('<a href="/a"><iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ" title="Fall"></iframe></a>'),
    ).toBe('Fall');
  });

  test('posts stay that were embedded, with the time of their entry', () => {
    const html =
      '<blockquote class="twitter-tweet"><p lang="en" dir="ltr">Stay in.</p>&mdash; Ana (@ana) <a href="https://twitter.com/ana/status/20?ref_src=x">March 21, 2006</a></blockquote>\n<script async src="https://platform.twitter.com/widgets.js"></script>';
    expect(bodyFromWordPress(html, undefined, '2026-03-01T14:05:00Z')).toEqual([
      {
        type: 'post',
        url: 'https://twitter.com/ana/status/20',
        author: 'Ana',
        handle: '@ana',
        network: 'X',
        text: 'Stay in.',
        quoted_at: '2026-03-01T14:05:00Z',
      },
    ]);
  });
});
