import { expect, test } from 'vitest';
import type { ReaderCoverage } from '../../../src/lib/domain/reader-coverage.ts';
import type { ReaderUpdate } from '../../../src/lib/domain/updates.ts';
import { english } from '../../../src/lib/i18n/en/all.ts';
import {
  breadcrumbList,
  breadcrumbsToUpdate,
  collection,
  jsonLd,
  liveBlogPosting,
  newsArticle,
  newsroomDetails,
  profile,
  type StructuredData,
  scriptJson,
  webSite,
} from '../../../src/lib/publishing/structured-data.ts';
import { mistakesIn, valueMistakesIn } from '../../support/structured-data.ts';

const PHOTO = '0b9d2f6e-6a3c-4a3e-9d58-1f8a5c1f0a77';

const PHOTOS: ReaderUpdate['photos'] = [
  {
    id: PHOTO,
    width: 1200,
    height: 800,
    renditions: [
      { width: 480, height: 320, bytes: 1 },
      { width: 1200, height: 800, bytes: 2 },
    ],
    placeholder_colour: '#28406a',
    alt: 'Water',
    caption: 'The quay at noon',
    credit: 'A. Reporter',
  },
];

const coverage = {
  slug: 'storm',
  kicker: 'Weather',
  headline: 'The storm',
  standfirst: '',
  language: 'en',
  time_zone: 'Asia/Kolkata',
  published_at: '2026-11-20T10:00:00+00:00',
  starts_at: null,
  ended_at: null,
  revised_at: null,
  summary_at: null,
  topics: [{ slug: 'floods', name: 'Floods' }],
} as unknown as ReaderCoverage;

const update = (number: number, more: Partial<ReaderUpdate>) =>
  ({
    number,
    state: 'published',
    headline: null,
    body: [{ type: 'paragraph', runs: [{ text: `Words of ${number} </script>` }] }],
    published_at: `2026-11-20T1${number}:00:00.5+00:00`,
    revised_at: null,
    withdrawn_at: null,
    dateline: null,
    bylines: [],
    notes: [],
    photos: [],
    ...more,
  }) as ReaderUpdate;

const site = {
  name: 'The Courier',
  tagline: 'News of the valley',
  language: 'en',
  time_zone: 'UTC',
  publisher: 'Valley Press',
  contact: 'The mill, Harrow\n<desk@courier.example>, or knock',
  logo: null,
  logo_dark: null,
  icon: null,
  menu: [],
  newspaper_link: null,
  support_link: null,
  sponsor: null,
  text_font: 'serif' as const,
  headline_font: 'serif' as const,
  reader_follow_mode: 'auto' as const,
  check_interval_seconds: 10,
  surge: 'auto' as const,
  surging: false,
  surge_since: null,
  offline_pages: true,
  accent: '',
  accent_dark: '',
  embed_origins: ['*'],
  setup_checklist: false,
  seq: 0,
};
const card = { path: '/live/storm/card.png?v=abc' };

const read = (...things: StructuredData) => JSON.parse(jsonLd(things))['@graph'] as Record<string, unknown>[];

test("describes a live page in schema.org's vocabulary without withdrawn updates", async () => {
  const withdrawn = update(2, { state: 'withdrawn', body: [], withdrawn_at: '2026-11-20T18:00:00+00:00' });
  const bylines = [{ handle: 'ada', display_name: 'Ada' }];
  const notes = [
    { version: 2, kind: 'correction' as const, note: 'Not so.', at: '2026-11-20T13:30:00+00:00' },
  ];
  const updates = [update(3, { headline: 'Third', bylines, notes }), withdrawn, update(1, {})];
  const posting = liveBlogPosting(coverage, updates, site, card);
  expect(read(posting)[0]).toMatchObject({
    '@type': 'LiveBlogPosting',
    '@id': 'http://127.0.0.1:4321/live/storm',
    url: 'http://127.0.0.1:4321/live/storm',
    headline: 'The storm',
    image: ['http://127.0.0.1:4321/live/storm/card.png?v=abc'],
    keywords: ['Floods'],
    about: [{ name: 'Floods', url: 'http://127.0.0.1:4321/topics/floods' }],
    // An unplanned coverage starts with its publication.
    coverageStartTime: '2026-11-20T15:30:00+05:30',
    datePublished: '2026-11-20T15:30:00+05:30',
    dateModified: '2026-11-20T23:30:00+05:30',
    publisher: {
      '@id': 'http://127.0.0.1:4321/#publisher',
      name: 'Valley Press',
      logo: { url: 'http://127.0.0.1:4321/icon-512.png' },
    },
    liveBlogUpdate: [
      {
        '@type': 'BlogPosting',
        url: 'http://127.0.0.1:4321/live/storm/3',
        headline: 'Third',
        datePublished: '2026-11-20T18:30:00+05:30',
        articleBody: 'Words of 3 </script>',
        correction: [{ text: 'Not so.', datePublished: '2026-11-20T19:00:00+05:30' }],
        author: [{ '@type': 'Person', name: 'Ada', url: 'http://127.0.0.1:4321/people/ada' }],
      },
      { headline: 'Words of 1 </script>', author: { name: 'Valley Press' } },
    ],
  });
  expect(read(posting)[0]).not.toHaveProperty('coverageEndTime');
  const ended = liveBlogPosting({ ...coverage, ended_at: '2026-11-21T00:00:00+00:00' }, updates, site, card);
  expect(ended.coverageEndTime).toBe('2026-11-21T05:30:00+05:30');
  expect(ended.dateModified).toBe('2026-11-21T05:30:00+05:30');
  expect(await mistakesIn(jsonLd([posting, ended]))).toEqual([]);
});

test('names the place of a map with its coordinates', async () => {
  const body: ReaderUpdate['body'] = [
    { type: 'map', name: 'School hall', latitude: 53.69, longitude: -0.44, zoom: 15 },
  ];
  const article = newsArticle(coverage, update(4, { body }), site, card);
  expect(read(article)[0]).toMatchObject({
    contentLocation: [
      {
        '@type': 'Place',
        name: 'School hall',
        geo: { '@type': 'GeoCoordinates', latitude: 53.69, longitude: -0.44 },
      },
    ],
  });
  expect(await mistakesIn(jsonLd([article]))).toEqual([]);
});

test('describes an update as an article of the live page', async () => {
  const body: ReaderUpdate['body'] = [
    { type: 'photo', photo: '11111111-6a3c-4a3e-9d58-1f8a5c1f0a77' },
    { type: 'photo', photo: PHOTO },
  ];
  const article = newsArticle(
    coverage,
    update(4, { key_event: true, body, photos: PHOTOS, dateline: 'Harrow' }),
    site,
    card,
  );
  const [told] = read(article);
  expect(told).toMatchObject({
    '@type': 'NewsArticle',
    mainEntityOfPage: 'http://127.0.0.1:4321/live/storm/4',
    headline: 'Water',
    // Readers do not see the first photo yet.
    image: [
      {
        '@type': 'ImageObject',
        url: `http://127.0.0.1:4321/photos/${PHOTO}/1600`,
        width: '1200',
        height: '800',
        description: 'Water',
        caption: 'The quay at noon',
        creditText: 'A. Reporter',
      },
      'http://127.0.0.1:4321/live/storm/card.png?v=abc',
    ],
    articleSection: 'Weather',
    dateline: 'Harrow',
    isPartOf: { '@type': 'LiveBlogPosting', '@id': 'http://127.0.0.1:4321/live/storm' },
  });
  const way = breadcrumbList(site, breadcrumbsToUpdate(english, coverage, 4, 'Water', site));
  expect(read(way)[0]).toMatchObject({
    itemListElement: [
      { position: 1, name: 'The Courier', item: 'http://127.0.0.1:4321/' },
      { position: 2, name: 'Floods', item: 'http://127.0.0.1:4321/topics/floods' },
      { position: 3, name: 'The storm', item: 'http://127.0.0.1:4321/live/storm' },
      { position: 4, name: 'Water', item: 'http://127.0.0.1:4321/live/storm/4' },
    ],
  });
  const byMonth = breadcrumbList(
    site,
    breadcrumbsToUpdate(english, { ...coverage, topics: [] }, 4, 'Water', site),
  );
  expect(read(byMonth)[0]).toMatchObject({
    itemListElement: [
      { name: 'The Courier' },
      { name: 'Archive', item: 'http://127.0.0.1:4321/archive' },
      { name: 'November 2026', item: 'http://127.0.0.1:4321/archive/2026/11' },
      { name: 'The storm' },
      { name: 'Water' },
    ],
  });
  expect(await mistakesIn(jsonLd([article, way, byMonth]))).toEqual([]);
});

test('describes the newsroom, its policies and its search', async () => {
  const [told, itself] = read(newsroomDetails(site), webSite(site));
  expect(told).toMatchObject({
    '@type': 'NewsMediaOrganization',
    '@id': 'http://127.0.0.1:4321/#publisher',
    name: 'Valley Press',
    alternateName: 'The Courier',
    correctionsPolicy: 'http://127.0.0.1:4321/corrections',
    contactPoint: { email: 'desk@courier.example' },
  });
  expect(itself).toMatchObject({
    publisher: { '@id': 'http://127.0.0.1:4321/#publisher' },
    potentialAction: { target: { urlTemplate: 'http://127.0.0.1:4321/search?q={words}' } },
  });
  expect(newsroomDetails({ ...site, contact: 'Knock twice' })).not.toHaveProperty('contactPoint');
  expect(await mistakesIn(jsonLd([newsroomDetails(site), webSite(site)]))).toEqual([]);
});

test('cites quoted posts', async () => {
  const post = {
    type: 'post' as const,
    url: 'https://social.example/@ana/1',
    author: 'Ana',
    text: 'Stay in.',
    quoted_at: '2026-11-20T14:02:00Z',
  };
  const body = [post, { ...post, handle: '@ana', posted_at: '2026-11-20T13:58:00Z' }];
  const article = newsArticle(coverage, update(1, { body }), site, card);
  const citation = {
    '@type': 'SocialMediaPosting',
    url: post.url,
    text: post.text,
    author: { '@type': 'Person', name: 'Ana' },
  };
  expect(read(article)[0]).toMatchObject({
    citation: [
      citation,
      {
        ...citation,
        datePublished: '2026-11-20T19:28:00+05:30',
        author: { ...citation.author, alternateName: '@ana' },
      },
    ],
  });
  expect(await mistakesIn(jsonLd([article]))).toEqual([]);
});

test('the validator knows the vocabulary', async () => {
  const posting = {
    ...liveBlogPosting(coverage, [], site, card),
    colour: 'red',
    liveBlogUpdate: [{ '@type': 'BlogPost' }],
  };
  const said = await mistakesIn(scriptJson({ '@context': 'https://schema.org', '@graph': [posting] }));
  expect(said.join('\n')).toMatch(/colour/);
  expect(said.join('\n')).toMatch(/BlogPost\b/);
  expect(await mistakesIn('{"@context":"https://schema.org"')).toHaveLength(1);
});

test('escapes text so that it cannot end its script', () => {
  expect(scriptJson({ text: '</script><!--' })).toBe('{"text":"\\u003c/script>\\u003c!--"}');
  const separators = scriptJson({ text: 'a\u2028b\u2029c &#39;' });
  expect(separators).toBe('{"text":"a\\u2028b\\u2029c \\u0026#39;"}');
  expect(JSON.parse(separators)).toEqual({ text: 'a\u2028b\u2029c &#39;' });
  expect(JSON.parse(scriptJson({ text: 'half \ud83c' }))).toEqual({ text: 'half \ufffd' });
});

test('every value has a type that its property allows', { timeout: 60_000 }, () => {
  const things: StructuredData = [
    liveBlogPosting(coverage, [update(3, { notes: [] }), update(1, {})], site, card),
    newsArticle(coverage, update(4, {}), site, card),
    breadcrumbList(site, breadcrumbsToUpdate(english, { ...coverage, topics: [] }, 4, 'Four', site)),
    newsroomDetails(site),
    webSite(site),
    collection({ path: '/topics/floods', name: 'Floods', language: 'en' }, [coverage]),
    profile({ handle: 'ada', display_name: 'Ada', bio: 'Writes.' }, 'en'),
  ];
  const wrong = { ...liveBlogPosting(coverage, [], site, card), datePublished: 7 };
  const graph = scriptJson({ '@context': 'https://schema.org', '@graph': [wrong] });
  // One run for both, because the validator loads the vocabulary each time.
  const said = valueMistakesIn([jsonLd(things), graph]);
  expect(said).toHaveLength(1);
  expect(said[0]).toContain('"datePublished":7');
});

test('describes videos and recordings with their players', async () => {
  const body: ReaderUpdate['body'] = [
    { type: 'photo', photo: PHOTO },
    { type: 'media', url: 'https://vimeo.com/1', title: 'The bridge', description: 'It fell.' },
    { type: 'media', url: 'https://soundcloud.com/town-radio/the-flood', title: 'The flood' },
  ];
  const article = newsArticle(coverage, update(4, { body, photos: PHOTOS }), site, card);
  expect(read(article)[0]).toMatchObject({
    video: [
      {
        '@type': 'VideoObject',
        name: 'The bridge',
        description: 'It fell.',
        url: 'https://vimeo.com/1',
        embedUrl: 'https://player.vimeo.com/video/1?dnt=1&playsinline=1',
        thumbnailUrl: `http://127.0.0.1:4321/photos/${PHOTO}/1600`,
      },
    ],
    audio: [{ '@type': 'AudioObject', name: 'The flood' }],
  });
  expect(await mistakesIn(jsonLd([article]))).toEqual([]);
});
