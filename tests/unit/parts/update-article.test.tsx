import type { ComponentProps } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { UpdateArticle } from '../../../src/islands/update/UpdateArticle.tsx';
import type { Block } from '../../../src/lib/domain/body/blocks.ts';
import type { ReaderPhoto } from '../../../src/lib/domain/photos.ts';
import type { ReaderUpdate } from '../../../src/lib/domain/updates.ts';
import { english } from '../../../src/lib/i18n/en/all.ts';

const update: ReaderUpdate = {
  id: '00000000-0000-4000-8000-000000000000',
  number: 17,
  state: 'published',
  headline: null,
  body: [{ type: 'paragraph', runs: [{ text: 'The gauge reads <2.42>.' }] }],
  key_event: false,
  urgency: 'normal',
  verification: 'confirmed',
  attribution: null,
  dateline: null,
  occurred_at: null,
  published_at: '2026-11-21T00:13:17.25+00:00',
  revised_at: null,
  corrected_at: null,
  withdrawn_at: null,
  withdrawn_reason: null,
  version: 3,
  seq: 29,
  bylines: [],
  notes: [],
  photos: [],
};

const render = (
  more: Partial<ReaderUpdate> = {},
  whole = false,
  pictures: Pick<ComponentProps<typeof UpdateArticle>, 'mapPicture'> = {},
) =>
  renderToStaticMarkup(
    <UpdateArticle
      messages={english.reader}
      update={{ ...update, ...more }}
      href="/live/storm/17"
      whole={whole}
      timeZone="Europe/London"
      language="en"
      {...pictures}
    />,
  );

test('is one article with number and a permanent link on its time', () => {
  const html = render();
  expect(html).toMatch(/^<article id="update-17" data-number="17" data-seq="29" data-day="2026-11-21"/);
  expect(html).toContain('<time dateTime="2026-11-21T00:13:17Z">00:13</time>');
  expect(html).toContain(
    '<a href="/live/storm/17" aria-label="Update 17, Saturday, 21 November 2026, 00:13">',
  );
  expect(html).toContain('<p>The gauge reads &lt;2.42&gt;.</p>');
  expect(html).not.toMatch(/style=|class="(flags|by|note)"/);
});

test('names key event, urgency and verification in words', () => {
  const html = render({ key_event: true, urgency: 'urgent', verification: 'unverified' });
  expect(html).toContain('class="update key urgent"');
  expect(html).toMatch(/Urgent.*Key event.*Not verified/);
});

test('shows bylines, dateline, attribution and the time of a revision', () => {
  const bylines = [
    { handle: 'ada', display_name: 'Ada' },
    { handle: 'bo', display_name: 'Bo' },
    { handle: 'cy', display_name: 'Cy' },
  ];
  const html = render({
    bylines,
    dateline: 'The quay',
    attribution: 'The county',
    revised_at: '2026-11-21T01:00:00Z',
  });
  expect(html).toContain(
    'By <a href="/people/ada">Ada</a>, <a href="/people/bo">Bo</a> and <a href="/people/cy">Cy</a>',
  );
  expect(html).toMatch(/The quay.*Source: The county.*Revised 01:00/);
});

test('shows corrections with their time', () => {
  const notes = [
    { version: 2, kind: 'correction' as const, note: 'It was 2.24.', at: '2026-11-22T01:00:00Z' },
  ];
  const html = render({ notes, revised_at: '2026-11-22T01:00:00Z' });
  expect(html).toMatch(
    /<p class="note"><b>Correction<\/b> <time[^>]*>22 Nov, 01:00<\/time> It was 2\.24\.<\/p>/,
  );
  expect(html).not.toContain('Revised');
});

test('keeps place, times and reason of a withdrawn update', () => {
  const html = render({
    state: 'withdrawn',
    body: [],
    withdrawn_at: '2026-11-21T02:00:00Z',
    withdrawn_reason: 'It was another street.',
  });
  expect(html).toContain('id="update-17"');
  expect(html).toMatch(
    /<h3><s>Update 17<\/s> Withdrawn <time[^>]*>02:00<\/time><\/h3><p>It was another street\.<\/p>/,
  );
});

test('folds a long update in a list, but not on its own page', () => {
  const body = Array.from({ length: 4 }, () => ({
    type: 'paragraph' as const,
    runs: [{ text: 'x'.repeat(700) }],
  }));
  const html = render({ body });
  expect(html.split('<details>')[0]?.match(/<p>x/g)).toHaveLength(2);
  expect(html.match(/<p>x/g)).toHaveLength(4);
  expect(render({ body }, true)).not.toContain('<details>');
});

test('has a main heading on its own page', () => {
  expect(render({ headline: 'The river is up' }, true)).toContain('<h1>The river is up</h1>');
  expect(render({}, true)).toMatch(/<h1 class="visually-hidden">Update 17<\/h1>/);
  expect(render({ headline: 'The river is up' })).toContain('<h3>The river is up</h3>');
});

test('renders every kind of block, and escapes text', () => {
  const html = render({
    body: [
      {
        type: 'paragraph',
        runs: [{ text: 'a', bold: true, italic: true, link: 'https://example.org/?a=1&b="' }],
      },
      { type: 'list', ordered: true, items: [[{ text: '<b>one</b>' }]] },
      { type: 'quote', text: 'First line\n\nSecond line', attribution: 'She' },
      { type: 'link', url: 'https://www.example.org/report/', title: 'A report' },
    ],
  });
  expect(html).toContain('<a href="https://example.org/?a=1&amp;b=&quot;"><strong><em>a</em></strong></a>');
  expect(html).toContain('<ol><li>&lt;b&gt;one&lt;/b&gt;</li></ol>');
  expect(html).toContain(
    '<blockquote><p>First line</p><p>Second line</p><footer><cite>She</cite></footer></blockquote>',
  );
  expect(html).toContain(
    '<a href="https://www.example.org/report/">A report</a><cite>example.org/report</cite>',
  );
});

test('shows a map as its place, and its picture unless a photo is below it', () => {
  const hall: Block = { type: 'map', name: 'School <hall>', latitude: -53.69, longitude: 0.00001, zoom: 15 };
  const place =
    '<a href="https://www.openstreetmap.org/?mlat=-53.69&amp;mlon=0.00001#map=15/-53.69/0.00001">School &lt;hall&gt;</a>' +
    '<span><bdi>53.69° south, 0.00001° east</bdi></span>' +
    '<cite>OpenStreetMap · <a href="geo:-53.69,0.00001?z=15">Open in a map app</a></cite>';
  expect(render({ body: [hall] })).toContain(place);
  expect(render({ body: [hall] })).not.toContain('<figure');
  const mapPicture = () => '/map.svg';
  const drawn = render({ body: [hall] }, false, { mapPicture });
  expect(drawn).toContain(place);
  expect(drawn).toContain('<svg width="640" height="360"');
  expect(drawn).toMatch(/<noscript><img [^>]*src="\/map.svg"[^>]*alt="Map of School &lt;hall&gt;"/);
  expect(drawn).toContain(
    '<figcaption>© <a href="https://www.openstreetmap.org/copyright">OpenStreetMap</a>',
  );
  const below: Block = { type: 'photo', photo: photo.id };
  expect(render({ body: [hall, below], photos: [photo] }, false, { mapPicture })).not.toContain('/map.svg');
});

const photo = {
  id: '5e0c0a52-6d2f-4c86-9f0e-0a1b7c3d2e4f',
  width: 1200,
  height: 800,
  renditions: [
    { width: 480, height: 320, bytes: 31_400 },
    { width: 960, height: 640, bytes: 90_000 },
    { width: 1200, height: 800, bytes: 130_000 },
  ],
  placeholder_colour: '#28406a',
  alt: 'The "quay" <b>',
  caption: null,
  credit: 'Ada',
};

test('reserves space for a photo with its texts, and shows an image without scripts', () => {
  const block = { type: 'photo' as const, photo: photo.id };
  const html = render({ body: [block], photos: [photo] });
  expect(html).toContain('<svg width="1200" height="800" viewBox="0 0 1200 800"');
  expect(html).toContain(
    `<a href="/photos/${photo.id}/480">Show photo, 31 KB</a><p>The &quot;quay&quot; &lt;b&gt;</p>`,
  );
  const path = `/photos/${photo.id}`;
  expect(html).toMatch(/<noscript><img [^>]*loading="lazy"[^>]*><\/noscript>/);
  expect(html).toContain(`srcSet="${path}/480 480w, ${path}/960 960w, ${path}/1600 1200w"`);
  expect(html).toContain('<cite>Photo: Ada</cite>');
  expect(html).not.toContain('style=');
  expect(render({ body: [block] }), 'one that is not ready').not.toMatch(/figure|photo/);
  const small = { ...photo, width: 300, height: 200, renditions: [{ width: 300, height: 200, bytes: 900 }] };
  expect(render({ body: [block], photos: [small] }), 'is not enlarged').not.toMatch(/srcSet|sizes/);
});

test('isolates the writing direction of a quoted post, and shows times of another day with their date', () => {
  const body: ReaderUpdate['body'] = [
    {
      type: 'post',
      url: 'https://social.example/@a/1',
      author: 'سلمى',
      handle: '@salma',
      text: 'ارتفع النهر.\n\n<script>alert(1)</script>',
      posted_at: '2026-11-20T23:50:00Z',
      quoted_at: '2026-11-21T00:02:00Z',
    },
  ];
  expect(render({ body })).toContain(
    '<blockquote><p dir="auto">ارتفع النهر.</p><p dir="auto">&lt;script&gt;alert(1)&lt;/script&gt;</p>' +
      '<footer><cite><bdi>سلمى</bdi> <bdi>@salma</bdi></cite> · <a href="https://social.example/@a/1">Post on social.example</a>, ' +
      '<time dateTime="2026-11-20T23:50:00Z">20 Nov, 23:50</time>, as quoted at <time dateTime="2026-11-21T00:02:00Z">00:02</time></footer></blockquote>',
  );
});

const photoOf = (id: string, width: number, height: number): ReaderPhoto => ({
  id,
  width,
  height,
  renditions: [
    { width: 480, height: Math.round((480 * height) / width), bytes: 20_000 },
    { width: 960, height: Math.round((960 * height) / width), bytes: 60_000 },
  ],
  placeholder_colour: '#28406a',
  alt: `Photo ${id}`,
  caption: null,
  credit: null,
});

test('puts photos that follow each other side by side, and none alone, hidden or apart', () => {
  const shown = (...ids: string[]) => {
    const photos = ids.filter((id) => !id.startsWith('hidden')).map((id) => photoOf(id, 1500, 1000));
    return render({ body: ids.map((photo) => ({ type: 'photo', photo })), photos })
      .split('<div class="photo-row">')
      .map((part) => part.match(/data-photo=/g)?.length ?? 0);
  };
  expect(shown('a')).toEqual([1]);
  expect(shown('a', 'hidden', 'hidden 2')).toEqual([1]);
  expect(shown('a', 'hidden', 'b')).toEqual([0, 2]);
  expect(shown('a', 'b', 'c')).toEqual([0, 3]);
  expect(shown('a', 'b', 'c', 'd')).toEqual([0, 2, 2]);
  expect(shown('a', 'b', 'c', 'd', 'e')).toEqual([0, 3, 2]);
  expect(
    render({
      body: [
        { type: 'photo', photo: 'a' },
        { type: 'paragraph', runs: [{ text: 'Between them.' }] },
        { type: 'photo', photo: 'b' },
      ],
      photos: [photoOf('a', 1500, 1000), photoOf('b', 1500, 1000)],
    }),
  ).not.toContain('photo-row');
});

test('gives the placeholders of a row the same height, and their images the right sizes', () => {
  const html = render({
    body: [
      { type: 'photo', photo: 'a' },
      { type: 'photo', photo: 'b' },
    ],
    photos: [photoOf('a', 1500, 1000), photoOf('b', 600, 1200)],
  });
  expect([...html.matchAll(/<svg width="(\d+)" height="(\d+)"/g)].map(([, ...size]) => size)).toEqual([
    ['3000', '2000'],
    ['1000', '2000'],
  ]);
  expect(html).toContain('sizes="(min-width: 36rem) 17rem, calc(100vw - 2rem)" width="600" height="1200"');
});
