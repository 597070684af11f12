import { expect, test } from 'vitest';
import { english } from '../../../src/lib/i18n/en/all.ts';
import {
  listEntries,
  newsLanguage,
  newsPath,
  parseSitemapName,
  partEntries,
  sitemapPath,
  writeIndex,
  writeNews,
  writeSitemap,
} from '../../../src/lib/publishing/sitemaps.ts';

test('a part is named by month, and by number after the first', () => {
  for (const part of ['pages' as const, { month: '2026-11', part: 1 }, { month: '1969-07', part: 12 }]) {
    expect(parseSitemapName(sitemapPath(part).replace(/^\/sitemaps\/|\.xml$/g, ''))).toEqual(part);
  }
  for (const none of [
    '',
    '2026',
    '2026-13',
    '2026-00',
    '0026-11',
    '2026-11-1',
    '2026-11-0',
    '2026-11-12345',
    'Pages',
  ]) {
    expect(parseSitemapName(none), none).toBeNull();
  }
});

test('URLs are absolute, with the last change if it is known', () => {
  const changed_at = '2026-11-20T10:00:00.123456+00:00';
  const entries = partEntries({
    coverages: [
      { slug: 'storm', changed_at, ended: false },
      { slug: 'flood', changed_at: null, ended: true },
    ],
    updates: [{ slug: 'storm', number: 3, changed_at }],
  });
  const xml = writeSitemap(entries);
  expect(xml).toMatch(
    /^<\?xml version="1.0" encoding="UTF-8"\?><urlset xmlns="http:\/\/www\.sitemaps\.org\/schemas\/sitemap\/0\.9">/,
  );
  expect(xml.match(/<url>.*?<\/url>/g)).toEqual([
    '<url><loc>http://127.0.0.1:4321/live/storm</loc><lastmod>2026-11-20T10:00:00.123Z</lastmod></url>',
    '<url><loc>http://127.0.0.1:4321/live/flood</loc></url>',
    '<url><loc>http://127.0.0.1:4321/live/flood/timeline</loc></url>',
    '<url><loc>http://127.0.0.1:4321/live/storm/3</loc><lastmod>2026-11-20T10:00:00.123Z</lastmod></url>',
  ]);
  const lists = {
    changed_at,
    scheduled: [{ slug: 'soon', changed_at }],
    topics: [],
    people: [],
    months: ['2026-11'],
  };
  expect(listEntries(lists).map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/', '/about', '/live/soon', '/archive/2026/11']),
  );
  expect(writeIndex([{ path: sitemapPath('pages'), changedAt: changed_at }])).toContain(
    '<sitemap><loc>http://127.0.0.1:4321/sitemaps/pages.xml</loc><lastmod>2026-11-20T10:00:00.123Z</lastmod></sitemap>',
  );
});

test('news have the title or first words of an update, and may be empty', () => {
  const one = {
    slug: 'storm',
    number: null,
    title: 'Wind & <rain> \u0007',
    body: null,
    coverage: 'Wind & <rain>',
    language: 'zh-Hant-HK',
    published_at: '2026-11-20T10:00:00+00:00',
  };
  const body = [{ type: 'paragraph' as const, runs: [{ text: 'It rains.' }] }];
  const xml = writeNews(
    english,
    [one, { ...one, number: 4, title: null, body }, { ...one, number: 5, title: null, body: [] }],
    { name: 'A & B' },
  );
  expect(xml.match(/<news:title>.*?<\/news:title>/g)).toEqual([
    expect.stringMatching(/^<news:title>Wind &amp; &lt;rain&gt; ?<\/news:title>$/),
    '<news:title>It rains.</news:title>',
    expect.stringContaining('Wind &amp; &lt;rain&gt;'),
  ]);
  expect(xml).toContain('<news:name>A &amp; B</news:name><news:language>zh-tw</news:language>');
  expect(xml).toContain('<news:publication_date>2026-11-20T10:00:00.000Z</news:publication_date>');
  expect([newsPath(one), newsPath({ ...one, number: 4 })]).toEqual(['/live/storm', '/live/storm/4']);
  expect(writeNews(english, [], { name: 'A' })).toMatch(/<urlset [^>]*><\/urlset>$/);
});

test.for([
  ['en', 'en'],
  ['en-IE', 'en'],
  ['zh', 'zh-cn'],
  ['zh-Hans-SG', 'zh-cn'],
  ['zh-TW', 'zh-tw'],
  ['pt-BR', 'pt'],
  ['haw', 'haw'],
  ['not a language', 'en'],
] as const)('news in %s are news in %s', ([tag, language]) => {
  expect(newsLanguage(tag)).toBe(language);
});
