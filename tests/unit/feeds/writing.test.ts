import { expect, test } from 'vitest';
import { drawContent } from '../../../src/layouts/parts/FeedContent.tsx';
import { type Body, bodyText } from '../../../src/lib/domain/body/blocks.ts';
import type { ReaderCoverage } from '../../../src/lib/domain/reader-coverage.ts';
import { english } from '../../../src/lib/i18n/en/all.ts';
import { coverageDocument, writeFeed } from '../../../src/lib/publishing/feeds/read-feed.ts';
import '../../../src/lib/i18n/messages.server.ts';
import { readFeed } from '../../../src/lib/cli/import/read-feed.ts';
import type { ReaderUpdate } from '../../../src/lib/domain/updates.ts';
import { readAtom, readByOtherParsers, readJsonFeed } from '../../support/feeds.ts';

const coverage = {
  id: '0b9d2f6e-6a3c-4a3e-9d58-1f8a5c1f0a77',
  slug: 'storm',
  headline: 'The storm',
  standfirst: 'The latest from our reporters.',
  state: 'live',
  language: 'en',
  time_zone: 'Europe/Dublin',
  published_at: '2026-11-20T10:00:00+00:00',
  topics: [{ slug: 'floods', name: 'Floods' }],
} as ReaderCoverage;
const site = { name: 'The Courier', publisher: 'Valley Press' };

const PHOTO = {
  id: '1f8a5c1f-6a3c-4a3e-9d58-0b9d2f6e0a77',
  width: 1600,
  height: 900,
  renditions: [
    { width: 480, height: 270, bytes: 1 },
    { width: 960, height: 540, bytes: 2 },
    { width: 1600, height: 900, bytes: 3 },
  ],
  placeholder_colour: '#28406a',
  alt: 'The quay, "under" water',
  caption: 'Noon & after',
  credit: 'A. Reporter',
};

const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

const update = (number: number, body: Body, more: Partial<ReaderUpdate> = {}) =>
  ({
    id: idOf(number),
    number,
    state: 'published',
    headline: null,
    body,
    key_event: false,
    urgency: 'normal',
    verification: 'confirmed',
    attribution: null,
    dateline: null,
    occurred_at: null,
    published_at: `2026-11-20T1${number}:00:00+00:00`,
    withdrawn_at: null,
    withdrawn_reason: null,
    bylines: [],
    notes: [],
    photos: [],
    ...more,
  }) as ReaderUpdate;

const said = (text: string): Body => [{ type: 'paragraph', runs: [{ text }] }];

const write = (format: 'atom' | 'json', updates: ReaderUpdate[], of = coverage) =>
  writeFeed(
    english,
    format,
    coverageDocument(
      of,
      site,
      updates.map((one) => ({ update: one, at: one.withdrawn_at ?? one.published_at })),
    ),
    drawContent,
    (path) => `https://courier.example${path}`,
  );

/** Pasted text, text of machines, and text that breaks parsers. */
const HOSTILE: [string, string?][] = [
  [']]> <!-- & --> <![CDATA[ </content></entry></feed>'],
  ['<script>alert(1)</script> &amp; &#0; &lt;b&gt;'],
  ['a\u0000b\u0007c\u001Bd\u007Fe\u0085f\uFFFEg\uFFFFh', 'abcd\u007Fe\u0085fgh'],
  ['half \uD83D pair, \uDC00 and whole 😀', 'half  pair,  and whole 😀'],
  ['\u2028 \u202E العربية 𐀀'],
  ['true \'quoted\' "twice" \r\n second line'],
];

test.for(HOSTILE)(
  '%j is read as it was written, but for what no XML may hold',
  async ([text, kept = text]) => {
    const updates = [
      update(1, said(text), {
        headline: text,
        attribution: text,
        bylines: [{ handle: 'ada', display_name: text }],
      }),
      update(2, [], {
        state: 'withdrawn',
        withdrawn_at: '2026-11-20T13:00:00+00:00',
        withdrawn_reason: text,
      }),
    ];
    const spaced = (words: string | undefined | null) => words?.replace(/\s+/g, ' ').trim();

    const document = write('atom', updates, { ...coverage, headline: text });
    const atom = readAtom(document);
    expect([spaced(atom.title), spaced(atom.entries[0]?.title)]).toEqual([spaced(kept), spaced(kept)]);
    expect(spaced(atom.entries[0]?.authors[0]?.[0])).toBe(spaced(kept));
    expect(spaced(atom.deleted[0]?.comment)).toBe(spaced(kept));
    expect((await readByOtherParsers(document)).first).toHaveLength(1);
    const content = atom.entries[0]?.content ?? '';
    expect(content).not.toMatch(/<script|<!--/);
    const [back] = readFeed(document).items;
    expect(spaced(bodyText(back?.body ?? []))).toContain(spaced(kept.replace(/[\u007F\u0085]/g, ' ')));

    const { feed, errors: wrong } = readJsonFeed(write('json', updates, { ...coverage, headline: text }));
    expect(wrong).toEqual([]);
    expect([feed.title, feed.items[1]?.title, feed.items[0]?.content_text]).toEqual([kept, kept, kept]);
  },
);

test('contains everything about an update: all blocks, verification, corrections, attribution', () => {
  const body: Body = [
    {
      type: 'paragraph',
      runs: [{ text: 'It ' }, { text: 'rises', bold: true, link: 'https://a.example/?b=1&c=2' }],
    },
    { type: 'list', ordered: true, items: [[{ text: 'one' }], [{ text: 'two', italic: true }]] },
    { type: 'quote', text: 'Go now.', attribution: 'The mayor' },
    {
      type: 'link',
      url: 'https://a.example/x',
      title: 'Levels',
      description: 'Hour by hour',
      site: 'Rivers',
    },
    {
      type: 'table',
      rows: [[[{ text: 'Gate' }]], [[{ text: 'shut', bold: true }]]],
      align: ['end'],
      caption: 'Gates',
      source: 'Port',
      as_of: '2026-11-20T13:00:00Z',
      preset: 'closures',
    },
    { type: 'map', name: 'The quay', latitude: 53.69012, longitude: -0.44213, zoom: 15 },
    {
      type: 'post',
      url: 'https://social.example/@ana/1',
      author: 'Ana',
      handle: '@ana',
      network: 'Mastodon',
      text: 'Stay <in>.',
      posted_at: '2026-11-19T13:58:00Z',
      quoted_at: '2026-11-20T14:02:00Z',
      gone_at: '2026-11-20T15:10:00Z',
    },
    { type: 'media', url: 'https://vimeo.com/1', title: 'The bridge', description: 'It fell.\nAt noon.' },
    { type: 'photo', photo: PHOTO.id },
    { type: 'photo', photo: idOf(7) },
  ];
  const one = update(1, body, {
    key_event: true,
    urgency: 'urgent',
    verification: 'unverified',
    attribution: 'Met Éireann',
    dateline: 'Harrow',
    photos: [PHOTO],
    notes: [{ version: 2, kind: 'correction', note: 'Two, not three.', at: '2026-11-20T14:02:00+00:00' }],
  });
  const [entry] = readAtom(write('atom', [one])).entries;
  expect(entry?.content).toBe(
    '<p><strong>Not verified</strong></p>' +
      '<p>It <a href="https://a.example/?b=1&amp;c=2"><strong>rises</strong></a></p>' +
      '<ol><li>one</li><li><em>two</em></li></ol>' +
      '<blockquote><p>Go now.</p><footer><cite>The mayor</cite></footer></blockquote>' +
      '<p><a href="https://a.example/x">Levels</a><br/>Hour by hour<br/><cite>Rivers</cite></p>' +
      '<figure><table><caption>Gates</caption><thead><tr><th scope="col" align="right">Gate</th></tr></thead>' +
      '<tbody><tr><td align="right"><strong>shut</strong></td></tr></tbody></table>' +
      '<figcaption><cite>Port</cite> · As of <time dateTime="2026-11-20T13:00:00Z">13:00 GMT</time></figcaption></figure>' +
      '<p><a href="https://www.openstreetmap.org/?mlat=53.69012&amp;mlon=-0.44213#map=15/53.69012/-0.44213">The quay</a>' +
      '<br/><bdi>53.69012° north, 0.44213° west</bdi></p>' +
      '<blockquote><p dir="auto">Stay &lt;in&gt;.</p><footer><cite><bdi>Ana</bdi> <bdi>@ana</bdi></cite> · ' +
      '<a href="https://social.example/@ana/1">Post on Mastodon</a>, <time dateTime="2026-11-19T13:58:00Z">19 Nov, 13:58 GMT</time>, ' +
      'as quoted at <time dateTime="2026-11-20T14:02:00Z">14:02 GMT</time>. ' +
      '<b>No longer there, checked at <time dateTime="2026-11-20T15:10:00Z">15:10 GMT</time></b></footer></blockquote>' +
      '<p><a href="https://vimeo.com/1">The bridge</a><br/>It fell.<br/>At noon.<br/><cite>vimeo.com/1</cite></p>' +
      `<figure><img src="https://courier.example/photos/${PHOTO.id}/960" width="960" height="540" ` +
      'alt="The quay, &quot;under&quot; water" loading="lazy"/><figcaption>Noon &amp; after <cite>Photo: A. Reporter</cite></figcaption></figure>' +
      '<p><strong>Correction</strong>, <time dateTime="2026-11-20T14:02:00Z">14:02 GMT</time>: Two, not three.</p>' +
      '<p><small>Harrow · Source: Met Éireann</small></p>',
  );
  expect(entry).toMatchObject({
    id: `urn:uuid:${idOf(1)}`,
    title:
      'It rises one two Go now. The mayor Levels Hour by hour Rivers Gates Gate shut Port The quay Stay…',
    link: 'https://courier.example/live/storm/1',
    terms: ['key-event', 'urgent', 'unverified', 'floods'],
    language: 'en',
  });
  const [item] = readJsonFeed(write('json', [one])).feed.items;
  expect(item?.content_text).toBe(
    'Not verified\n\nIt rises\n\none\ntwo\n\nGo now.\nThe mayor\n\nLevels\nHour by hour\nRivers\n\nGates\nGate\nshut\nPort\nAs of 13:00 GMT\n\n' +
      'The quay\n53.69012° north, 0.44213° west\n\nStay <in>.\nAna @ana\nMastodon\nas quoted at 14:02 GMT. No longer there, checked at 15:10 GMT\n\nThe bridge\nIt fell.\nAt noon.\n\n' +
      '[The quay, "under" water] Noon & after Photo: A. Reporter\n\n' +
      'Correction, 14:02 GMT: Two, not three.\n\nHarrow · Source: Met Éireann',
  );
  expect(item).toMatchObject({
    image: `https://courier.example/photos/${PHOTO.id}/1600`,
    tags: ['key-event', 'urgent', 'unverified', 'Floods'],
  });
  expect(item?.title).toBeUndefined();
});

test('says since when a table is not updated, with the words of its language', () => {
  const stale: Body[number] = {
    type: 'table',
    rows: [[[{ text: 'Gauge' }]], [[{ text: '2.1' }]]],
    as_of: '2026-11-20T13:00:00Z',
    csv: 'https://port.example/levels.csv',
    stale: true,
  };
  for (const [language, before, after] of [
    ['en', 'Data as of', '; not updated since'],
    ['es', 'Hora de los datos:', '; sin actualizar desde entonces'],
  ] as const) {
    const of = { ...coverage, language };
    const [entry] = readAtom(write('atom', [update(1, [stale])], of)).entries;
    expect(entry?.content).toContain(
      `<b>${before} <time dateTime="2026-11-20T13:00:00Z">13:00 GMT</time>${after}</b>`,
    );
    const [item] = readJsonFeed(write('json', [update(1, [stale])], of)).feed.items;
    expect(item?.content_text).toContain(`2.1\n${before} 13:00 GMT${after}`);
  }
});

test('says where an update is, with the words of its language', () => {
  const place = { type: 'map' as const, name: 'Quay & mill', latitude: -3.5, longitude: 0.00001 };
  const located = write('atom', [update(1, [...said('There'), place]), update(2, said('Here'))]);
  expect(located).toContain('xmlns:georss="http://www.georss.org/georss"');
  expect(located.match(/<georss:point>.*<\/georss:point>/g)).toEqual([
    '<georss:point>-3.5 0.00001</georss:point>',
  ]);
  expect(located).toContain('<georss:featurename>Quay &amp; mill</georss:featurename>');
  expect(write('atom', [update(2, said('Here'))])).not.toContain('georss');
  const [spanish] = readAtom(write('atom', [update(1, [place])], { ...coverage, language: 'es' })).entries;
  expect(spanish?.content).toContain('3,5° sur, 0,00001° este');
});

test('uses the language of the coverage for labels, and marks right-to-left text', () => {
  const noted = update(1, said('Sube.'), {
    notes: [{ version: 2, kind: 'correction', note: 'Dos.', at: '2026-11-21T14:02:00+00:00' }],
  });
  const [spanish] = readAtom(write('atom', [noted], { ...coverage, language: 'es' })).entries;
  expect(spanish).toMatchObject({ language: 'es' });
  expect(spanish?.content).toMatch(
    /<strong>Corrección<\/strong>, <time[^>]*>21 nov, 14:02 GMT<\/time>: Dos\./,
  );
  const [arabic] = readAtom(
    write('atom', [update(1, said('مرحبا'))], { ...coverage, language: 'ar' }),
  ).entries;
  expect(arabic?.content).toBe('<div dir="rtl"><p>مرحبا</p></div>');
});

test('describes a photo without text by its alt text, or by a number before it is ready', () => {
  const body: Body = [{ type: 'photo', photo: PHOTO.id }];
  const photos = [{ ...PHOTO, caption: null, credit: null }];
  const [none, shown] = readAtom(write('atom', [update(1, body, { photos }), update(2, body)])).entries;
  expect([shown?.title, none?.title]).toEqual([PHOTO.alt, 'Update 2']);
  expect(shown?.content).toContain('<p>The quay, &quot;under&quot; water</p>');
  expect(none?.content).toBe('<p>Update 2</p>');
});

test('contains a tombstone without content for a withdrawn update', () => {
  const gone = update(1, said('Libel.'), {
    headline: 'Libel',
    state: 'withdrawn',
    withdrawn_at: '2026-11-20T15:00:00.123456+00:00',
    withdrawn_reason: 'We were misled.',
  });
  const atom = write('atom', [gone]);
  expect(atom).not.toContain('Libel');
  expect(readAtom(atom).entries).toEqual([]);
  expect(readAtom(atom).deleted).toEqual([
    { ref: `urn:uuid:${idOf(1)}`, when: '2026-11-20T15:00:00.123Z', comment: 'We were misled.' },
  ]);
  const json = write('json', [gone]);
  expect(json).not.toContain('Libel');
  expect(readJsonFeed(json).feed.items).toMatchObject([
    {
      id: `urn:uuid:${idOf(1)}`,
      title: 'Withdrawn',
      content_text: 'We were misled.',
      _stoppress: { withdrawn: true },
    },
  ]);
});

test('is valid without updates, and says when it is complete', async () => {
  expect((await readByOtherParsers(write('atom', []))).types).toEqual(['atom', 'atom']);
  expect(readAtom(write('atom', []))).toMatchObject({
    updated: '2026-11-20T10:00:00.000Z',
    isComplete: true,
  });
  const { feed, errors: wrong } = readJsonFeed(write('json', [], { ...coverage, state: 'ended' }));
  expect([wrong, feed.items, feed.expired]).toEqual([[], [], true]);
});

test.for(['atom', 'json'] as const)('can be imported again from %s without loss', (format) => {
  const updates = [
    update(1, said('Short.'), { key_event: true }),
    update(2, [
      ...said('A long line that goes on. '.repeat(9).trim()),
      { type: 'list', items: [[{ text: 'one' }], [{ text: 'two' }]] },
    ]),
    update(3, said('With a headline.'), {
      headline: 'It rises',
      bylines: [{ handle: 'ada', display_name: 'Ada' }],
    }),
    update(4, [], { state: 'withdrawn', withdrawn_at: '2026-11-20T15:00:00+00:00', withdrawn_reason: 'No.' }),
    update(5, said('Doubtful and short.'), { verification: 'unverified' }),
  ];
  const words = (text: string) => text.replace(/\s+/g, ' ').trim();
  const read = readFeed(write(format, updates));
  expect([read.title, read.description, read.language]).toEqual([
    'The storm',
    'The latest from our reporters.',
    'en',
  ]);
  expect(
    read.items.map(({ id, title, body, authors, tags }) => [
      id,
      title,
      words(bodyText(body)),
      authors,
      tags.includes('key-event'),
    ]),
  ).toEqual([
    [`urn:uuid:${idOf(1)}`, undefined, 'Short.', [], true],
    [`urn:uuid:${idOf(2)}`, undefined, words(bodyText(updates[1]?.body ?? [])), [], false],
    [`urn:uuid:${idOf(3)}`, 'It rises', 'With a headline.', ['Ada'], false],
    [`urn:uuid:${idOf(5)}`, undefined, 'Not verified Doubtful and short.', [], false],
  ]);
});

test('names the photos of an entry for programs, only those that readers see, in the order of the text', async () => {
  const second = { ...PHOTO, id: idOf(8), credit: null, renditions: PHOTO.renditions.slice(0, 1) };
  const body: Body = [second.id, idOf(7), PHOTO.id].map((photo) => ({ type: 'photo', photo }));
  const document = write('atom', [
    update(1, body, { photos: [PHOTO, second] }),
    update(2, said('No photo.')),
  ]);
  const [without, entry] = readAtom(document).entries;
  expect(without?.media).toEqual([]);
  const image = { type: 'image/webp', medium: 'image', description: PHOTO.alt };
  const address = (id: string) => `https://courier.example/photos/${id}/960`;
  expect(entry?.media).toEqual([
    { ...image, url: address(second.id), width: '480', height: '270', credit: undefined },
    { ...image, url: address(PHOTO.id), width: '960', height: '540', credit: PHOTO.credit },
  ]);
  expect((await readByOtherParsers(document)).first).toHaveLength(2);
  expect(readFeed(document).items).toHaveLength(2);
});

test('has the lead photo as its logo: the chosen one, or that of the newest key event', () => {
  const photos = (id: string) => ({ photos: [{ ...PHOTO, id }] });
  const updates = [
    update(1, said('Older.'), { key_event: true, ...photos(idOf(11)) }),
    update(2, said('Newer.'), { key_event: true, ...photos(idOf(12)) }),
    update(3, said('Not a key event.'), photos(idOf(13))),
  ];
  const logo = (of = coverage, some = updates) => readAtom(write('atom', some, of)).logo;
  expect(logo()).toBe(`https://courier.example/photos/${idOf(12)}/960`);
  expect(logo({ ...coverage, lead: PHOTO })).toBe(`https://courier.example/photos/${PHOTO.id}/960`);
  expect(logo(coverage, updates.slice(2))).toBeUndefined();
});
