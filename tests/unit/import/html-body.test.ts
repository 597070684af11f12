import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bodyFromHtml } from '../../../src/lib/cli/import/read-feed.ts';
import { bodyText } from '../../../src/lib/domain/body/blocks.ts';
import { NestingError } from '../../../src/lib/domain/body/html.ts';

const body = (html: string, base?: string) => bodyFromHtml(html, base);
const paragraphs = (html: string) => bodyText(body(html)).split('\n\n');

describe('keeps text in order', () => {
  test.each([
    ['<p>One</p><p>Two</p>', ['One', 'Two']],
    ['One<br>Two<br/>Three', ['One', 'Two', 'Three']],
    ['One<p>Two</p>Three', ['One', 'Two', 'Three']],
    ['<div>One<div>Two</div>Three</div>', ['One', 'Two', 'Three']],
    ['<p>One<p>Two', ['One', 'Two']],
    ['<P>One</P><DIV>Two</DIV>', ['One', 'Two']],
    ['<h2>One</h2>Two', ['One', 'Two']],
    ['<p>  a\n <b> b </b>\t<i>c</i> </p>', ['a b c']],
    ['<p>un<b>broken</b></p>', ['unbroken']],
    ['<table><tr><td>A</td><td>1</td></tr><tr><td>B</td><td>2</td></tr></table>', ['A\t1\nB\t2']],
    ['<table><tr><td>A</td><td><p>1</p><p>2</p></td></tr><tr><td>B</td></tr></table>', ['A', '1', '2', 'B']],
    ['<table><tr><td rowspan="2">A</td><td>1</td></tr><tr><td>2</td></tr></table>', ['A 1', '2']],
    [
      '<table><tr><td><table><tr><td>A</td></tr></table></td><td>B</td></tr><tr><td>C</td><td>D</td></tr></table>',
      ['A\tB\nC\tD'],
    ],
    ['<p></p><p> &nbsp; </p><p>One</p>', ['One']],
    ['<!-- no --><p>One</p><style>p{}</style><script>"<p>no</p>"</script><iframe>no</iframe>', ['One']],
    ['<figure><img src="x.jpg" alt="no"><figcaption>One</figcaption></figure>', ['One']],
    ['R&amp;D &lt;b&gt; &eacute; &#8212; &#x2014; &mdash; &unknown; &copy', ['R&D <b> é — — — &unknown; ©']],
    ['<p>1 < 2 and 3 > 2</p>', ['1 < 2 and 3 > 2']],
    ['<p>One<p>Two<li>Three', ['One', 'Two', 'Three']],
  ])('%s', (html, expected) => expect(paragraphs(html)).toEqual(expected));
});

test('keeps bold, italic and links', () => {
  const html =
    '<p>a <strong>b <em>c</em></strong> <a href="https://x.example/?a=1&amp;b=2">d <i>e</i></a></p><h3>f</h3>';
  expect(body(html)).toEqual([
    {
      type: 'paragraph',
      runs: [
        { text: 'a ' },
        { text: 'b ', bold: true },
        { text: 'c', bold: true, italic: true },
        { text: ' ' },
        { text: 'd ', link: 'https://x.example/?a=1&b=2' },
        { text: 'e', italic: true, link: 'https://x.example/?a=1&b=2' },
      ],
    },
    { type: 'paragraph', runs: [{ text: 'f', bold: true }] },
  ]);
});

test.each([
  ['b/c?d=1', 'https://x.example/a/', 'https://x.example/a/b/c?d=1'],
  ['/c', 'https://x.example/a/', 'https://x.example/c'],
  ['//y.example/c', 'https://x.example/a/', 'https://y.example/c'],
  ['https://y.example/', 'https://x.example/a/', 'https://y.example/'],
  ['https://y.example/', undefined, 'https://y.example/'],
  ['b/c', undefined, undefined],
  ['', undefined, undefined],
  ['javascript:alert(1)', 'https://x.example/a/', undefined],
  ['&#106;avascript:alert(1)', 'https://x.example/a/', undefined],
  ['data:text/html,x', undefined, undefined],
  ['mailto:a@x.example', undefined, undefined],
  ['https://user:pass@x.example/', undefined, undefined],
])('resolves a link to %j within %j to %j', (href, base, link) => {
  expect(body(`<a href="${href}">words</a>`, base)).toEqual([
    { type: 'paragraph', runs: [{ text: 'words', ...(link && { link }) }] },
  ]);
});

test('keeps lists and quotes', () => {
  const html =
    'x<ul><li>a <b>b</b></li><li><p>c</p><ul><li>d</li></ul></li></ul><ol><li>e</li></ol><blockquote><p>f</p><p>g</p></blockquote>y';
  expect(body(html)).toEqual([
    { type: 'paragraph', runs: [{ text: 'x' }] },
    {
      type: 'list',
      items: [[{ text: 'a ' }, { text: 'b', bold: true }], [{ text: 'c' }], [{ text: 'd' }]],
    },
    { type: 'list', ordered: true, items: [[{ text: 'e' }]] },
    { type: 'quote', text: 'f\ng' },
    { type: 'paragraph', runs: [{ text: 'y' }] },
  ]);
  expect(body('<ul> </ul><ol><li></li></ol><blockquote></blockquote>')).toEqual([]);
});

describe('videos and recordings', () => {
  const video = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ';
  const media = { type: 'media', url: video, title: 'youtube.com/watch?v=dQw4w9WgXcQ' };
  test.each([
    [
      'a block of WordPress',
      '<figure class="wp-block-embed"><div class="wp-block-embed__wrapper">\nhttps://youtu.be/dQw4w9WgXcQ\n</div><figcaption>At noon</figcaption></figure>',
      [media, { type: 'paragraph', runs: [{ text: 'At noon' }] }],
    ],
    ['a shortcode', `<p>[embed width="9"]${video}[/embed]</p>`, [media]],
    ['an address as a link', `<p><a href="${video}">${video}</a></p>`, [media]],
    [
      'a player with its title',
      'a<iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ" title=" The  bridge "></iframe>b',
      [
        { type: 'paragraph', runs: [{ text: 'a' }] },
        { ...media, title: 'The bridge' },
        { type: 'paragraph', runs: [{ text: 'b' }] },
      ],
    ],
    [
      'a player without one',
      '<iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ" title="YouTube video player">',
      [media],
    ],
    ['a player of another site', '<iframe src="https://youtube.com.evil.example/embed/dQw4w9WgXcQ">', []],
    [
      'a file',
      '<figure class="wp-block-video"><video controls src="/a/flood.mp4"></video></figure>',
      [{ type: 'link', url: 'https://x.example/a/flood.mp4', title: 'x.example/a/flood.mp4' }],
    ],
    [
      'a file by its source',
      '<audio><source src="https://x.example/b.mp3">no</audio>',
      [{ type: 'link', url: 'https://x.example/b.mp3', title: 'x.example/b.mp3' }],
    ],
    ['a file of a script', '<video src="blob:https://x.example/1"></video><video>', []],
    [
      'an address in a list',
      `<ul><li>${video}</li></ul>`,
      [{ type: 'list', items: [[{ text: video, link: video }]] }],
    ],
    ['an address in a quote', `<blockquote>${video}</blockquote>`, [{ type: 'quote', text: video }]],
  ])('reads %s', (_, html, expected) => expect(body(html, 'https://x.example/')).toEqual(expected));
});

test('refuses endlessly nested elements', () => {
  expect(() => body('<b>'.repeat(5_000))).toThrow(NestingError);
  expect(() => body('<ul><li>'.repeat(5_000))).toThrow(NestingError);
  expect(() => body('<blockquote>'.repeat(5_000))).toThrow(NestingError);
});

test('never creates empty runs, line breaks or markup', () => {
  const piece = fc.constantFrom(
    '<p>',
    '</p>',
    '<b>',
    '</b>',
    '<ul>',
    '<li>',
    '</li>',
    '</ul>',
    '<br>',
    '<blockquote>',
    '</blockquote>',
    'word',
    ' ',
    '\n',
    '&lt;',
    '<a href="x">',
    '</a>',
    '<td>',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      for (const block of body(pieces.join(''))) {
        const lines = block.type === 'list' ? block.items : block.type === 'paragraph' ? [block.runs] : [];
        for (const runs of lines) {
          expect(runs.length).toBeGreaterThan(0);
          for (const { text } of runs) expect(text).toMatch(/^[^\n]+$/);
          expect(runs.map(({ text }) => text).join('')).toMatch(/^\S(.*\S)?$/);
        }
      }
      const said = bodyText(body(pieces.join(''))).match(/word/g)?.length ?? 0;
      expect(said).toBe(pieces.filter((each) => each === 'word').length);
    }),
  );
});

test('does not nest unclosed elements', () => {
  expect(paragraphs('<p>One'.repeat(2_000))).toHaveLength(2_000);
});

test('reads tables within tables in a time that does not double with each', () => {
  const html = `${'<table><tr><td>a</td><td>'.repeat(60)}b${'</td></tr></table>'.repeat(60)}`;
  expect(paragraphs(html).join(' ')).toMatch(/^(?:a ){60}b$/);
}, 5_000);
