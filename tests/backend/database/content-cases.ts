import { randomUUID } from 'node:crypto';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { COPIED_MEDIA, OTHER_MEDIA } from '../../support/media-urls.ts';
import { paragraph } from '../../support/newsroom.ts';

/** An id. */
const ONE = randomUUID();
export const x = (times: number) => 'x'.repeat(times);
export const ZERO_WIDTH = '\u200b\u200d\u2060\ufeff\u00ad\ufe0f\u{e0041}';
/** Values that no line of text may have, at any length: invisible, or more than one line. */
const UNFIT: [name: string, value: unknown][] = [
  ['a number', 42],
  ['an object', { text: 'x' }],
  ['zero-width characters only', ZERO_WIDTH],
  ['a blank of Braille or Hangul', '\u2800\u3164'],
  ['a control character', 'a\u0007b'],
  ['a C1 control character', 'a\u009bb'],
];
const BROKEN: [name: string, value: unknown][] = [
  ['a line feed', 'a\nb'],
  ['a line separator', 'a\u2028b'],
];

export type Case = { field: string; name: string; value: unknown; stored?: unknown };

const line = (field: string, most: number): { fit: Case[]; unfit: Case[] } => ({
  fit: [
    { field, name: 'one character', value: 'x' },
    { field, name: `${most} characters`, value: x(most) },
    { field, name: `${most} emoji, each one character`, value: '🌊'.repeat(most) },
    { field, name: 'white space around it', value: ' \u00a0a b\u3000\n', stored: 'a b' },
    { field, name: 'marks of direction', value: '\u2067שלום\u2069 12' },
  ],
  unfit: [
    { field, name: `${most + 1} characters`, value: x(most + 1) },
    { field, name: `${most + 1} emoji`, value: '🌊'.repeat(most + 1) },
    ...UNFIT.map(([name, value]) => ({ field, name, value })),
    ...BROKEN.map(([name, value]) => ({ field, name, value })),
  ],
});

const lines = (field: string, most: number): { fit: Case[]; unfit: Case[] } => {
  const { fit, unfit } = line(field, most);
  return {
    fit: [...fit, { field, name: 'two lines', value: 'a\nb' }],
    unfit: unfit.filter(({ name }) => name !== 'a line feed'),
  };
};

const together = (...parts: { fit: Case[]; unfit: Case[] }[]) => ({
  fit: parts.flatMap(({ fit }) => fit),
  unfit: parts.flatMap(({ unfit }) => unfit),
});

const block = (name: string, ...blocks: unknown[]): Case => ({ field: 'body', name, value: blocks });
const runs = (...all: unknown[]) => ({ type: 'paragraph', runs: all });
export const linked = (link: unknown) => runs({ text: 'there', link });
const card = (more: object) => ({ type: 'link', url: 'https://example.org/', title: 'There', ...more });
const cells = (...words: string[]) => words.map((text) => (text ? [{ text }] : []));
const table = (rows: unknown, more: object = {}) => ({ type: 'table', rows, ...more });
const place = (more: object) => ({
  type: 'map',
  name: 'Hall',
  latitude: 53.69012,
  longitude: -0.44213,
  ...more,
});
const post = (more: object = {}) => ({
  type: 'post',
  url: 'https://social.example/@ana/1',
  author: 'Ana',
  text: 'x',
  quoted_at: '2026-11-28T14:02:00Z',
  ...more,
});
const media = (more: object) => ({ type: 'media', url: 'https://vimeo.com/1', title: 'There', ...more });
const address = (length: number) => `https://example.org/${x(length - 20)}`;

const BODIES: { fit: Case[]; unfit: Case[] } = {
  fit: [
    block(
      `${LIMITS.body_blocks} blocks`,
      ...Array.from({ length: LIMITS.body_blocks }, () => paragraph('x')),
    ),
    block(`${LIMITS.body_characters} characters`, paragraph(x(LIMITS.body_characters))),
    block(`${LIMITS.body_characters} emoji`, paragraph('🌊'.repeat(LIMITS.body_characters))),
    block('marked runs', runs({ text: 'a', bold: true, italic: false }, { text: ' ' }, { text: 'b' })),
    block(
      'a list',
      { type: 'list', items: [[{ text: 'a' }]] },
      { type: 'list', ordered: true, items: [[{ text: 'b' }]] },
    ),
    block('a quote of two lines', { type: 'quote', text: 'a\nb', attribution: x(LIMITS.attribution) }),
    block(
      'a whole link card',
      card({
        title: x(LIMITS.link_title),
        description: x(LIMITS.link_description),
        site: x(LIMITS.link_site),
      }),
    ),
    block('a table of one cell and its name', table([cells('a'), cells('b')])),
    block(
      'a table with everything',
      table(
        [
          [[], []],
          [
            [
              { text: 'a', bold: true },
              { text: 'b', link: 'https://example.org/' },
            ],
            [],
          ],
        ],
        {
          align: ['center', 'end'],
          caption: x(LIMITS.caption),
          source: x(LIMITS.attribution),
          as_of: '2024-02-29T23:59:59Z',
          preset: 'results',
        },
      ),
    ),
    block(
      `a table of ${LIMITS.table_rows} rows and ${LIMITS.table_columns} columns`,
      table(
        Array.from({ length: LIMITS.table_rows + 1 }, () =>
          cells(...'x'.repeat(LIMITS.table_columns).split('')),
        ),
      ),
    ),
    block('a map', place({})),
    block('a map with everything', place({ name: x(LIMITS.dateline), zoom: LIMITS.map_zoom })),
    block('a map at the ends of the earth', place({ latitude: -90, longitude: 180, zoom: 1 })),
    block('a map at zero', place({ latitude: 0, longitude: 0.00001 })),
    block('a post with its text and author', post()),
    block(
      'a post with everything',
      post({
        author: x(LIMITS.attribution),
        handle: `@${x(LIMITS.attribution - 1)}`,
        network: 'مثال',
        text: '\u2067שלום\u2069\n\n<script>alert(1)</script>',
        posted_at: '2024-02-29T23:59:59Z',
        gone_at: '2026-11-28T15:10:00Z',
      }),
    ),
    ...COPIED_MEDIA.map(([, url]) => block(`a video at ${url}`, media({ url }))),
    block(
      'a video with everything',
      media({ title: x(LIMITS.link_title), description: `One.\n\n${x(5_000)}` }),
    ),
    block('http', linked('http://example.org')),
    block('a port, a query and a fragment', linked('https://example.org:8443/a?b=c&d#e')),
    block('an address that is not ASCII', linked('https://fr.example.org/élysée')),
    block(`an address of ${LIMITS.url} characters`, linked(address(LIMITS.url))),
  ],
  unfit: [
    block('no block'),
    block(
      `${LIMITS.body_blocks + 1} blocks`,
      ...Array.from({ length: LIMITS.body_blocks + 1 }, () => paragraph('x')),
    ),
    block(`${LIMITS.body_characters + 1} characters`, paragraph(x(LIMITS.body_characters + 1))),
    block('too many characters over several blocks', ...['a', 'b'].map((c) => paragraph(c.repeat(5_000)))),
    block(
      'few characters, but a hundred kilobytes of links',
      runs(...Array.from({ length: 80 }, () => ({ text: 'x', link: address(LIMITS.url) }))),
    ),
    { field: 'body', name: 'text', value: 'Hello.' },
    { field: 'body', name: 'null', value: null },
    { field: 'body', name: 'an object', value: { type: 'paragraph' } },
    block('a block of text', 'Hello.'),
    block('a block of null', null),
    block('a list of lists', [[[[[[]]]]]]),
    block('no type', { runs: [{ text: 'x' }] }),
    block('an unknown type', { type: 'html', runs: [{ text: 'x' }] }),
    block('a photo without an id', { type: 'photo' }),
    block('a photo by what is no id', { type: 'photo', photo: 'storm.jpg' }),
    block('a photo by an id in capitals', { type: 'photo', photo: randomUUID().replace(/^./, 'A') }),
    block('a photo with words of its own', { type: 'photo', photo: randomUUID(), alt: 'A dog.' }),
    block('a photo twice', { type: 'photo', photo: ONE }, paragraph('x'), { type: 'photo', photo: ONE }),
    block('an unknown key', { ...paragraph('x'), class: 'red' }),
    block('an unknown key of a run', runs({ text: 'x', onclick: 'x' })),
    block('no runs', { type: 'paragraph' }),
    block('an empty paragraph', runs()),
    block('a paragraph of white space', runs({ text: ' \u00a0\u3000' })),
    block('a paragraph of zero width', runs({ text: ZERO_WIDTH })),
    block('an empty run', runs({ text: 'x' }, { text: '' })),
    block('a run of a number', runs({ text: 1 })),
    block('a run of text', runs('x')),
    block('a run of null', runs({ text: 'x' }, null)),
    block('a line feed in a run', runs({ text: 'a\nb' })),
    block('a line separator in a run', runs({ text: 'a\u2028b' })),
    block('boldness as text', runs({ text: 'x', bold: 'true' })),
    block('boldness as null', runs({ text: 'x', bold: null })),
    block('an empty list', { type: 'list', items: [] }),
    block('a list with an empty item', { type: 'list', items: [[{ text: 'a' }], []] }),
    block('a list of text', { type: 'list', items: ['a'] }),
    block('a list ordered as text', { type: 'list', ordered: 'yes', items: [[{ text: 'a' }]] }),
    block('a list within a list', { type: 'list', items: [[[{ text: 'a' }]]] }),
    block('a quote without words', { type: 'quote', text: ' ' }),
    block('a quote of a number', { type: 'quote', text: 1 }),
    block('a quote by nobody', { type: 'quote', text: 'x', attribution: '' }),
    block('a quote by too long a name', { type: 'quote', text: 'x', attribution: x(LIMITS.attribution + 1) }),
    block('a table without rows', table([])),
    block('a table with the names of its columns alone', table([cells('a')])),
    block('a table of no columns', table([[], []])),
    block('a table of empty cells', table([cells(''), cells('')])),
    block('a table of zero width', table([cells(''), cells(ZERO_WIDTH)])),
    block('a table with rows of different lengths', table([cells('a', 'b'), cells('c')])),
    block('a table with a row of text', table([cells('a'), 'b'])),
    block('a table with a cell of text', table([cells('a'), ['b']])),
    block('a table with a run of text', table([cells('a'), [['b']]])),
    block('a table with an empty run', table([cells('a'), cells('b'), [[{ text: '' }]]])),
    block('a table with a wrong link', table([cells('a'), [[{ text: 'b', link: 'javascript:alert(1)' }]]])),
    block('a table of rows in an object', table({ 0: cells('a') })),
    block('a table with an unknown alignment', table([cells('a'), cells('b')], { align: ['left'] })),
    block(
      'a table with alignments of other columns',
      table([cells('a'), cells('b')], { align: ['end', 'end'] }),
    ),
    block('a table with alignments of text', table([cells('a'), cells('b')], { align: 'end' })),
    block('a table without alignments', table([cells('a'), cells('b')], { align: null })),
    block('a table with an empty caption', table([cells('a'), cells('b')], { caption: '' })),
    block(
      'a table with too long a caption',
      table([cells('a'), cells('b')], { caption: x(LIMITS.caption + 1) }),
    ),
    block(
      'a table with too long a source',
      table([cells('a'), cells('b')], { source: x(LIMITS.attribution + 1) }),
    ),
    ...[
      '2026-02-30T14:02:00Z',
      '2026-11-28T24:00:00Z',
      '2026-11-28T14:02:60Z',
      '2026-11-28T14:02:00.000Z',
      '2026-11-28T14:02:00+01:00',
      '2026-11-28 14:02',
      '0000-01-01T00:00:00Z',
      'infinity',
      '',
      1,
      null,
    ].map((as_of) =>
      block(`a table as of ${JSON.stringify(as_of)}`, table([cells('a'), cells('b')], { as_of })),
    ),
    ...['league', 'Results', '', 1, null, ['results']].map((preset) =>
      block(`a table of the kind ${JSON.stringify(preset)}`, table([cells('a'), cells('b')], { preset })),
    ),
    block('a table with markup', table([cells('a'), cells('b')], { html: '<b>' })),
    block('a map without a name', { type: 'map', latitude: 1, longitude: 1 }),
    block('a map with an empty name', place({ name: '' })),
    block('a map with too long a name', place({ name: x(LIMITS.dateline + 1) })),
    block('a map with a name of two lines', place({ name: 'a\nb' })),
    block('a map with a name of zero width', place({ name: ZERO_WIDTH })),
    block('a map without coordinates', { type: 'map', name: 'Hall' }),
    block('a map north of the pole', place({ latitude: 90.00001 })),
    block('a map west of the world', place({ longitude: -180.00001 })),
    block('a map with six decimals', place({ latitude: 53.690121 })),
    block('a map with coordinates of text', place({ latitude: '53.69' })),
    block('a map with a tiny coordinate', place({ latitude: 1e-7 })),
    block('a map with a huge coordinate', place({ latitude: 1e300 })),
    block('a map with coordinates of null', place({ longitude: null })),
    block('a map with no zoom', place({ zoom: 0 })),
    block('a map with too large a zoom', place({ zoom: LIMITS.map_zoom + 1 })),
    block('a map with half a zoom', place({ zoom: 15.5 })),
    block('a map with a zoom of text', place({ zoom: '15' })),
    block('a map with a zoom of null', place({ zoom: null })),
    block('a map with markup', place({ html: '<b>' })),
    block('a post without an address', post({ url: undefined })),
    block('a post at a wrong address', post({ url: 'javascript:alert(1)' })),
    block('a post without an author', post({ author: undefined })),
    block('a post by an empty name', post({ author: ' ' })),
    block('a post by too long a name', post({ author: x(LIMITS.attribution + 1) })),
    block('a post by a name of two lines', post({ author: 'a\nb' })),
    block('a post by a name that turns the direction of writing', post({ author: 'a\u202eb' })),
    block('a post by a handle without @', post({ handle: 'ana' })),
    block('a post by an empty handle', post({ handle: '@' })),
    block('a post by a handle with a space', post({ handle: '@a b' })),
    block('a post by a handle with a mark of direction', post({ handle: '@a\u2067b' })),
    block('a post by a handle of null', post({ handle: null })),
    block('a post of a network like a handle', post({ network: '@ana' })),
    block('a post of a network of a number', post({ network: 1 })),
    block('a post without words', post({ text: ZERO_WIDTH })),
    block('a post with a list as its text', post({ text: ['x'] })),
    block(
      `a post of ${LIMITS.body_characters} characters and its author`,
      post({ text: x(LIMITS.body_characters) }),
    ),
    block('a post without the time of the quote', post({ quoted_at: undefined })),
    ...[
      '2026-11-28T14:02:00+00:00',
      '2026-11-28T14:02:00.5Z',
      '2026-11-28T14:02Z',
      '2026-02-30T14:02:00Z',
      '2026-11-28T24:00:00Z',
      '2026-11-28T23:59:60Z',
      '0000-01-01T00:00:00Z',
      'now',
      '',
      null,
      1,
    ].flatMap((time) =>
      ['posted_at', 'quoted_at', 'gone_at'].map((key) =>
        block(`a post with ${key} ${JSON.stringify(time)}`, post({ [key]: time })),
      ),
    ),
    block('a post with markup', post({ html: '<b>' })),
    ...OTHER_MEDIA.map((url) => block(`a video at ${url}`, media({ url }))),
    block('a video by the address that people copy', media({ url: 'https://youtu.be/dQw4w9WgXcQ' })),
    block('a video at a number', media({ url: 1 })),
    block('a video without a title', { type: 'media', url: 'https://vimeo.com/1' }),
    block('a video with an empty title', media({ title: ' ' })),
    block('a video with too long a title', media({ title: x(LIMITS.link_title + 1) })),
    block('a video with a title of two lines', media({ title: 'a\nb' })),
    block('a video with an empty description', media({ description: '' })),
    block('a video with a frame', media({ html: '<iframe>' })),
    block('a card without a title', { type: 'link', url: 'https://example.org/' }),
    block('a card with too long a title', card({ title: x(LIMITS.link_title + 1) })),
    block('a card with too long a description', card({ description: x(LIMITS.link_description + 1) })),
    block('a card with too long a site', card({ site: x(LIMITS.link_site + 1) })),
    block('a card that leads nowhere', card({ url: 'javascript:alert(1)' })),
    ...[
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      ' https://example.org/',
      'data:text/html,x',
      'ftp://example.org/',
      'mailto:desk@example.org',
      '//example.org/',
      '/relative',
      'https:example.org',
      'https://',
      'https:///path',
      'https://name:secret@example.org/',
      'https://example.org@evil.example/',
      'https://example.org/a b',
      'https://example.org/"onclick="x',
      'https://example.org/<script>',
      'https://example.org/\\evil',
      'https://exa\u202emple.org/',
      'https://exa\u200bmple.org/',
      'https://example.org/\n',
      address(LIMITS.url + 1),
      '',
      null,
      1,
      {},
    ].map((link) => block(`a link to ${JSON.stringify(link).slice(0, 40)}`, linked(link))),
  ],
};

const WORDS: { fit: Case[]; unfit: Case[] } = {
  fit: [
    ...[true, false].map((value) => ({ field: 'key_event', name: String(value), value })),
    ...['normal', 'important', 'urgent'].map((value) => ({ field: 'urgency', name: value, value })),
    ...['unverified', 'developing', 'confirmed'].map((value) => ({
      field: 'verification',
      name: value,
      value,
    })),
    ...[
      ['2026-03-01T14:05:00Z', '2026-03-01T14:05:00+00:00'],
      ['2026-03-01T14:05+02:00', '2026-03-01T12:05:00+00:00'],
    ].map(([value, stored]) => ({ field: 'occurred_at', name: String(value), value, stored })),
  ],
  unfit: [
    ...['true', 1, null, {}].map((value) => ({ field: 'key_event', name: JSON.stringify(value), value })),
    ...['Urgent', 'breaking', 1, ['urgent']].map((value) => ({
      field: 'urgency',
      name: JSON.stringify(value),
      value,
    })),
    ...['maybe', true].map((value) => ({ field: 'verification', name: JSON.stringify(value), value })),
    ...[
      '2026-03-01T14:05:00',
      '2026-03-01',
      'yesterday',
      '2026-02-30T00:00:00Z',
      '2026-03-01T25:00:00Z',
      'infinity',
      '2999-01-01T00:00:00Z',
      1,
      {},
    ].map((value) => ({ field: 'occurred_at', name: JSON.stringify(value), value })),
    { field: 'bylines', name: 'a person nobody knows', value: [randomUUID()] },
    { field: 'bylines', name: 'no id', value: ['x'] },
    { field: 'bylines', name: 'no array', value: 'x' },
    { field: 'state', name: 'a field of ours', value: 'published' },
    { field: 'constructor', name: 'a field of nobody', value: 1 },
  ],
};

/** Valid and invalid values of every field of an update, on both sides of each limit. */
export const CONTENT = together(
  line('headline', LIMITS.update_headline),
  line('attribution', LIMITS.attribution),
  line('dateline', LIMITS.dateline),
  lines('desk_note', LIMITS.desk_note),
  BODIES,
  WORDS,
);
