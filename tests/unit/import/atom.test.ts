import { describe, expect, test } from 'vitest';
import { BadFeed, readFeed } from '../../../src/lib/cli/import/read-feed.ts';
import { bodyText } from '../../../src/lib/domain/body/blocks.ts';

const entry = (id: string, more = '', updated = '2026-01-01T12:00:00Z') =>
  `<entry><id>${id}</id><title>Title of ${id}</title><updated>${updated}</updated>${more || '<content>Words.</content>'}</entry>`;

const feed = (entries: string, { about = '<title>A storm</title>', attributes = '' } = {}) =>
  `<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" ${attributes}>${about}${entries}</feed>`;

const mistakes = (text: string) => {
  try {
    readFeed(text);
  } catch (error) {
    if (error instanceof BadFeed) return error.mistakes;
    throw error;
  }
  return [];
};

const wordsOf = (content: string, options = {}) =>
  readFeed(feed(entry('a', content), options)).items.map(({ body }) => bodyText(body))[0];

test('reads name, language and entries in order of time', () => {
  const text = feed(
    entry('late', '', '2026-01-01T13:00:00Z') +
      entry('b') +
      entry('a', '<published>2026-01-01T11:00:00+01:00</published><content>Words.</content>'),
    {
      attributes: 'xml:lang="en-GB"',
      about:
        '<title type="html">R&amp;amp;D &lt;b&gt;storms&lt;/b&gt;</title><subtitle>What\n it did</subtitle>',
    },
  );
  const read = readFeed(text);
  expect(read).toMatchObject({ title: 'R&D storms', description: 'What it did', language: 'en-GB' });
  expect(read.items.map(({ id, publishedAt }) => [id, publishedAt.toISOString()])).toEqual([
    ['a', '2026-01-01T10:00:00.000Z'],
    ['b', '2026-01-01T12:00:00.000Z'],
    ['late', '2026-01-01T13:00:00.000Z'],
  ]);
});

test('reads title, authors and categories of an entry', () => {
  const more =
    '<author><name>CDR</name><uri>https://x.example</uri></author><author><name>CC</name></author>' +
    '<category term="key-event"/><category term="moon" label="Moon"/><content>Down.</content>';
  expect(readFeed(feed(entry('one', more))).items).toEqual([
    {
      index: 0,
      id: 'one',
      title: 'Title of one',
      body: [{ type: 'paragraph', runs: [{ text: 'Down.' }] }],
      authors: ['CDR', 'CC'],
      tags: ['key-event', 'moon'],
      publishedAt: new Date('2026-01-01T12:00:00Z'),
    },
  ]);
});

describe('the text of an entry', () => {
  test.each([
    ['text without a type', '<content>a &lt;b&gt;\nc\n\nd &amp; e</content>', 'a <b> c\n\nd & e'],
    ['text', '<content type="text">a <![CDATA[<b>]]></content>', 'a <b>'],
    [
      'HTML that was escaped',
      '<content type="html">&lt;p&gt;a &amp;amp; b&lt;/p&gt;c</content>',
      'a & b\n\nc',
    ],
    ['HTML as it is written', '<content type="html"><![CDATA[<p>a &amp; b</p>c]]></content>', 'a & b\n\nc'],
    [
      'XHTML',
      '<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>a &amp;amp; &lt;b&gt;</p><p>c</p></div></content>',
      'a &amp; <b>\n\nc',
    ],
    [
      'XHTML under a name',
      '<content type="xhtml"><h:div xmlns:h="http://www.w3.org/1999/xhtml"><h:p>a</h:p><h:ul><h:li>b</h:li></h:ul></h:div></content>',
      'a\n\nb',
    ],
    ['a summary where there is no content', '<summary type="html">&lt;i&gt;a&lt;/i&gt;</summary>', 'a'],
    ['the content before the summary', '<summary>no</summary><content>a</content>', 'a'],
  ])('%s', (_, content, words) => expect(wordsOf(content)).toBe(words));

  test('resolves links by nested xml:base', () => {
    const linkIn = (content: string, attributes = '', about = '<title>A storm</title>') => {
      const [item] = readFeed(feed(entry('a', content), { attributes, about })).items;
      const [block] = item?.body ?? [];
      return block?.type === 'paragraph' ? block.runs[0]?.link : undefined;
    };
    const link = '&lt;a href="c?d=1&amp;amp;e=2"&gt;x&lt;/a&gt;';
    const self = '<title>A storm</title><link rel="self" href="https://x.example/feeds/storm.atom"/>';
    const html = (base = '') => `<content type="html" ${base}>${link}</content>`;
    expect(linkIn(html())).toBeUndefined();
    expect(linkIn(html(), '', self)).toBe('https://x.example/feeds/c?d=1&e=2');
    expect(linkIn(html(), 'xml:base="https://y.example/a/"', self)).toBe('https://y.example/a/c?d=1&e=2');
    expect(linkIn(html('xml:base="b/"'), 'xml:base="https://y.example/a/"')).toBe(
      'https://y.example/a/b/c?d=1&e=2',
    );
    expect(linkIn(html('xml:base="https://z.example/"'), 'xml:base="https://y.example/a/"')).toBe(
      'https://z.example/c?d=1&e=2',
    );
    const xhtml =
      '<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml" xml:base="d/"><a href="c">x</a></div></content>';
    expect(linkIn(xhtml, 'xml:base="https://y.example/a/"')).toBe('https://y.example/a/d/c');
  });
});

test.each([
  ['no id', '<entry><title>x</title><updated>2026-01-01T12:00:00Z</updated><content>x</content></entry>'],
  ['no date', '<entry><id>bad</id><title>x</title><content>x</content></entry>'],
  ['a date without a zone', entry('bad', '<content>x</content>', '2026-01-01T12:00:00')],
  ['a day that never was', entry('bad', '<content>x</content>', '2026-02-30T25:00:00Z')],
  ['no content', entry('bad', '<link href="https://x.example/"/>')],
  ['content elsewhere', entry('bad', '<content src="https://x.example/" type="text/html"/>')],
  ['content that is no text', entry('bad', '<content type="image/png">AAAA</content>')],
  ['content without words', entry('bad', '<content type="html">&lt;img src="x.jpg"&gt;</content>')],
  ['content that is too deep', entry('bad', `<content type="html">${'&lt;b&gt;'.repeat(2_000)}x</content>`)],
  ['content that is too long', entry('bad', `<content>${'x'.repeat(100_001)}</content>`)],
])('names an entry with %s', (what, wrong) => {
  const said = mistakes(feed(entry('good') + wrong));
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(what === 'no id' ? /^Item 1: / : /^Item 1 \(bad\): /);
});

test('names every invalid entry, and duplicate ids', () => {
  const said = mistakes(feed(entry('a') + entry('a') + entry('b', '', 'yesterday')));
  expect(said.map((sentence) => sentence.replace(/:.*/, ''))).toEqual(['Item 1 (a)', 'Item 2 (b)']);
  expect(said[0]).toContain('item 0');
});

const bomb = `<?xml version="1.0"?><!DOCTYPE feed [<!ENTITY a "${'x'.repeat(1_000)}">${Array.from(
  { length: 9 },
  (_, n) => `<!ENTITY a${n} "${`&a${n - 1 < 0 ? '' : n - 1};`.repeat(10)}">`,
).join('')}]><feed xmlns="http://www.w3.org/2005/Atom"><title>&a8;</title></feed>`;

test.each([
  ['breaks off', feed(entry('a')).slice(0, -20), /^The file is not valid XML at line 2\.$/],
  ['has a wrong end', feed('<entry><id>a</title></entry>'), /^The file is not valid XML/],
  ['has a bare ampersand', feed(entry('a', '<content>a & b</content>')), /^The file is not valid XML/],
  ['brings entities', bomb, /document type/],
  [
    'asks for a file',
    '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><feed><title>&a;</title></feed>',
    /document type/,
  ],
  ['is RSS', '<rss version="2.0"><channel><title>x</title></channel></rss>', /not an Atom feed/],
  ['is a page', '<html><body>x</body></html>', /not an Atom feed/],
  ['has no title', feed(entry('a'), { about: '' }), /no title/],
  ['is neither', 'A storm', /^The file is not JSON/],
])('refuses a file that %s, in one sentence', (_, text, sentence) => {
  const said = mistakes(text);
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(sentence);
  expect(said[0]?.length).toBeLessThan(200);
});

test('accepts text that mentions a document type', () => {
  expect(wordsOf('<content type="html"><![CDATA[<!-- <!DOCTYPE html> --><p>a</p>]]></content>')).toBe('a');
});

test('ignores a byte order mark', () => {
  expect(readFeed(`\uFEFF ${feed(entry('a')).replace(/^.*\n/, '')}`).items).toHaveLength(1);
  const json = { version: 'https://jsonfeed.org/version/1.1', title: 'x', items: [] };
  expect(readFeed(`\uFEFF${JSON.stringify(json)}`).title).toBe('x');
});

test.each([
  ['It rises.', '<p>It rises.</p>', undefined],
  ['It rises. Still.', '<p>Not verified</p><p>It rises.</p><p>Still.</p><p>By us</p>', undefined],
  ['It rises and…', '<p>It rises and rises.</p>', undefined],
  ['It rises', '<p>It rises.</p>', 'It rises'],
  ['rises.', '<p>It rises.</p>', 'rises.'],
  ['rises and…', '<p>It rises and rises.</p>', 'rises and…'],
])('uses the title %s of %s as headline: %s', (title, html, headline) => {
  const text = feed(
    `<entry><id>a</id><title>${title}</title><updated>2026-01-01T12:00:00Z</updated><content type="html"><![CDATA[${html}]]></content></entry>`,
  );
  expect(readFeed(text).items[0]?.title).toBe(headline);
});
