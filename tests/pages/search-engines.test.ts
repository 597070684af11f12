import { randomUUID } from 'node:crypto';
import { XMLParser } from 'fast-xml-parser';
import sharp from 'sharp';
import { expect } from 'vitest';
import { RELOAD, signInWithCookies } from '../support/http-client.ts';
import { call, callServer, createLiveCoverage, type Newsroom, paragraph } from '../support/newsroom.ts';
import type { TestSite } from '../support/site.ts';
import { dataOf, mistakesIn } from '../support/structured-data.ts';
import { test as base } from '../support/test.ts';

/** Sitemaps, Open Graph images and structured data. */

// A site of its own, because the sitemap lists the whole site.
const test = base.extend('ownSite', true);

const HOUR_MS = 3_600_000;
const CARD_BYTES = 60_000;

const ask = (site: TestSite, path: string, more: RequestInit = {}) =>
  fetch(`${site.url}${path}`, { redirect: 'manual', headers: RELOAD, ...more });
const read = async (site: TestSite, path: string) => (await ask(site, path)).text();
const live = ({ coverage }: Newsroom, rest = '') => `/live/${coverage.slug}${rest}`;

type Address = { loc: string; lastmod?: string; 'news:news'?: News };
type News = {
  'news:publication': { 'news:name': string; 'news:language': string };
  'news:publication_date': string;
  'news:title': string;
};

const parser = new XMLParser({
  isArray: (name) => name === 'url' || name === 'sitemap',
  parseTagValue: false,
});

async function addresses(site: TestSite, path: string): Promise<Address[]> {
  const answer = await ask(site, path);
  expect(answer.status, path).toBe(200);
  expect(answer.headers.get('content-type')).toContain('xml');
  const { sitemapindex, urlset } = parser.parse(await answer.text(), true) as {
    sitemapindex?: { sitemap: Address[] };
    urlset?: '' | { url: Address[] };
  };
  return sitemapindex?.sitemap ?? (urlset || { url: [] }).url ?? [];
}

/** All entries of the sitemaps, by path. */
async function sitemapOf(site: TestSite): Promise<Map<string, Address>> {
  const parts = await addresses(site, '/sitemap.xml');
  const entries = await Promise.all(parts.map(({ loc }) => addresses(site, new URL(loc).pathname)));
  return new Map(entries.flat().map((address) => [new URL(address.loc).pathname, address]));
}

async function newsOf(site: TestSite, { coverage }: Newsroom): Promise<Map<string, News>> {
  const entries = await addresses(site, '/sitemap-news.xml');
  const ours = entries.filter(({ loc }) => `${loc}/`.includes(`/live/${coverage.slug}/`));
  return new Map(ours.map(({ loc, 'news:news': news }) => [new URL(loc).pathname, news as News]));
}

async function importAt(site: TestSite, { coverage }: Newsroom, times: number[], content: object) {
  const items = times.map((at) => ({ id: randomUUID(), published_at: new Date(at).toISOString(), content }));
  await callServer(site.service, 'import_updates', { coverage_id: coverage.id, items });
}

test('lists public pages with their last change in the sitemap, and removes withdrawn ones at once', async ({
  site,
  people,
  newsroom,
}) => {
  const { editor } = people;
  // Another coverage keeps the sitemap of the month in place.
  await createLiveCoverage(people);
  const draft = `draft-${randomUUID().slice(0, 8)}`;
  const content = { slug: draft, headline: 'Not yet', time_zone: 'UTC', language: 'en' };
  await call(editor.client, 'create_coverage', { coverage_id: randomUUID(), content });
  const named = await newsroom.publish({ headline: 'Named' });
  await newsroom.publish();
  await newsroom.publish({ key_event: true });

  const before = await sitemapOf(site);
  expect([...before.keys()]).toEqual(
    expect.arrayContaining(['/', '/about', '/corrections', '/archive', live(newsroom)]),
  );
  expect([1, 2, 3].map((number) => before.has(live(newsroom, `/${number}`)))).toEqual([true, false, true]);
  expect(before.has(live(newsroom, '/timeline'))).toBe(false);
  expect(JSON.stringify([...before.keys()])).not.toContain(draft);
  for (const path of before.keys()) expect((await ask(site, path)).status, path).toBe(200);
  const [, first] = await addresses(site, '/sitemap.xml');
  expect(first?.lastmod).toBe(before.get(live(newsroom))?.lastmod);

  const corrected = await newsroom.correct(named, { headline: 'Named' }, 'It was not so.');
  const changed = async (path: string) => Date.parse((await sitemapOf(site)).get(path)?.lastmod ?? '');
  const before1 = Date.parse(before.get(live(newsroom, '/1'))?.lastmod ?? '');
  await expect.poll(() => changed(live(newsroom, '/1'))).toBeGreaterThan(before1);
  expect(await changed(live(newsroom))).toBeGreaterThanOrEqual(await changed(live(newsroom, '/1')));
  expect(await changed(live(newsroom, '/3'))).toBe(
    Date.parse(before.get(live(newsroom, '/3'))?.lastmod ?? ''),
  );

  const part = `/sitemaps/${new Date().toISOString().slice(0, 7)}.xml`;
  const lastmod = async () =>
    (await addresses(site, '/sitemap.xml')).find(({ loc }) => loc.endsWith(part))?.lastmod;
  const partBefore = await lastmod();
  await newsroom.withdraw(corrected, 'Not ours to tell.');
  await expect.poll(async () => (await sitemapOf(site)).has(live(newsroom, '/1'))).toBe(false);
  expect(Date.parse((await lastmod()) ?? '')).toBeGreaterThan(Date.parse(partBefore ?? ''));

  await newsroom.setState('ended');
  await expect.poll(async () => (await sitemapOf(site)).has(live(newsroom, '/timeline'))).toBe(true);
  await newsroom.setState('withdrawn');
  await expect
    .poll(async () => [...(await sitemapOf(site)).keys()].join())
    .not.toContain(newsroom.coverage.slug);

  const etag = (await ask(site, '/sitemap.xml')).headers.get('etag') ?? '';
  expect((await ask(site, '/sitemap.xml', { headers: { 'if-none-match': etag } })).status).toBe(304);
  for (const none of ['2020-13', '1000-01', '2026-11-9999', 'x', 'pages-2']) {
    expect((await ask(site, `/sitemaps/${none}.xml`)).status, none).toBe(404);
  }
});

test("lists updates of the last two days in the news sitemap, with the newsroom's name", async ({
  site,
  people,
}) => {
  const newsroom = await createLiveCoverage(people);
  const now = Date.now();
  await importAt(site, newsroom, [now - 48 * HOUR_MS - 60_000, now - 48 * HOUR_MS + 120_000], {
    headline: 'Gates & <levees>',
    body: [paragraph('So it was.')],
  });
  await importAt(site, newsroom, [now - HOUR_MS], {
    body: [paragraph('No headline, and yet a key.')],
    key_event: true,
  });
  await importAt(site, newsroom, [now - HOUR_MS + 1000], { body: [paragraph('Text without a headline.')] });
  await expect.poll(async () => (await newsOf(site, newsroom)).has(live(newsroom, '/3'))).toBe(true);
  const news = await newsOf(site, newsroom);
  expect([1, 2, 3, 4].map((number) => news.has(live(newsroom, `/${number}`)))).toEqual([
    false,
    true,
    true,
    false,
  ]);
  const { data } = await site.service.from('site').select('name').single();
  const entry = news.get(live(newsroom, '/2'));
  expect(entry?.['news:title']).toBe('Gates & <levees>');
  expect(entry?.['news:publication']).toEqual({ 'news:name': data?.name, 'news:language': 'en' });
  expect(Date.parse(entry?.['news:publication_date'] ?? '')).toBe(now - 48 * HOUR_MS + 120_000);
  expect(news.get(live(newsroom, '/3'))?.['news:title']).toBe('No headline, and yet a key.');
  expect(news.get(live(newsroom))?.['news:title']).toBe('The river rises at Harrow Bridge');

  const limited = await callServer<{ number: number }[]>(site.service, 'sitemap_news', { max_rows: 2 });
  expect(limited).toHaveLength(2);
  expect(await callServer(site.service, 'sitemap_news', { max_rows: -1 })).toEqual([]);
});

test('draws an Open Graph image of a public coverage, and a new one when its content changes', async ({
  site,
  people,
  newsroom,
}) => {
  const path = live(newsroom, '/card.png');
  const card = await ask(site, path);
  expect([card.status, card.headers.get('content-type')]).toEqual([200, 'image/png']);
  const png = Buffer.from(await card.arrayBuffer());
  expect(await sharp(png).metadata()).toMatchObject({
    format: 'png',
    width: 1200,
    height: 630,
    isPalette: true,
  });
  expect(png.length).toBeLessThan(CARD_BYTES);
  const etag = card.headers.get('etag') ?? '';
  expect((await ask(site, path, { headers: { 'if-none-match': etag } })).status).toBe(304);
  const head = await ask(site, `${path}?v=anything`, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, `${png.length}`]);

  const shared = async (of: string) =>
    Object.fromEntries(
      [
        ...(await read(site, of)).matchAll(
          /<meta (?:property|name)="((?:og|twitter|article):[^"]+)" content="([^"]*)"/g,
        ),
      ].map(([, name = '', content = '']) => [name, content]),
    );
  await newsroom.publish({ headline: 'Said' });
  const before = await shared(live(newsroom));
  expect(before).toMatchObject({
    'og:image': expect.stringMatching(new RegExp(`^${site.url}${path}\\?v=[\\w-]{8}$`)),
    'og:image:type': 'image/png',
    'og:image:width': '1200',
    'og:image:height': '630',
    'twitter:card': 'summary_large_image',
  });
  expect(await shared(live(newsroom, '/1'))).toMatchObject({ 'og:image': before['og:image'] });
  expect(await shared('/')).toMatchObject({ 'og:image': expect.stringContaining('/card.png?v=') });
  expect((await ask(site, '/card.png')).status).toBe(200);
  // A new update changes the page but not its image.
  expect((await ask(site, path)).headers.get('etag')).toBe(etag);

  const { data } = await people.editor.client
    .from('coverages')
    .select('version')
    .eq('id', newsroom.coverage.id)
    .single();
  await call(people.editor.client, 'save_coverage', {
    coverage_id: newsroom.coverage.id,
    version: data?.version,
    content: { headline: 'The river falls & <rests>' },
  });
  await expect.poll(async () => (await ask(site, path)).headers.get('etag')).not.toBe(etag);
  expect(Buffer.from(await (await ask(site, path)).arrayBuffer()).equals(png)).toBe(false);
  expect((await shared(live(newsroom)))['og:image']).not.toBe(before['og:image']);

  const slug = `draft-${randomUUID().slice(0, 8)}`;
  const content = { slug, headline: 'Not yet', time_zone: 'UTC', language: 'en' };
  await call(people.editor.client, 'create_coverage', { coverage_id: randomUUID(), content });
  expect((await ask(site, `/live/${slug}/card.png`)).status).toBe(404);
  const renamed = `${newsroom.coverage.slug}-b`;
  const { data: now } = await people.editor.client
    .from('coverages')
    .select('version')
    .eq('id', newsroom.coverage.id)
    .single();
  await call(people.editor.client, 'save_coverage', {
    coverage_id: newsroom.coverage.id,
    version: now?.version,
    content: { slug: renamed },
  });
  await expect.poll(async () => (await ask(site, path)).status).toBe(301);
  expect((await ask(site, path)).headers.get('location')).toBe(`/live/${renamed}/card.png`);
  await newsroom.setState('withdrawn');
  await expect.poll(async () => (await ask(site, `/live/${renamed}/card.png`)).status).toBe(410);
});

test('writes valid structured data of the expected types on each page', async ({
  site,
  people,
  newsroom,
}) => {
  const { editor, reporter } = people;
  const topic = `topic-${randomUUID().slice(0, 8)}`;
  await call(editor.client, 'save_topic', { slug: topic, name: 'Floods </script>' });
  const coverage_id = newsroom.coverage.id;
  await call(editor.client, 'save_coverage', { coverage_id, version: 1, content: { topics: [topic] } });
  const update = await newsroom.publish({ headline: 'Two boats' });
  const content = { headline: 'One boat', key_event: true, body: [paragraph('Of <!-- two boats')] };
  await newsroom.correct(update, content, 'It was one boat, </script> not two.');
  await newsroom.publish();
  const month = `/archive/${new Date().toISOString().slice(0, 7).replace('-', '/')}`;
  const structuredData = async (path: string) => dataOf(await read(site, path));
  const kinds: Record<string, string[]> = {
    '/': ['NewsMediaOrganization', 'WebSite'],
    '/about': ['NewsMediaOrganization'],
    '/archive': ['BreadcrumbList'],
    [month]: ['CollectionPage', 'BreadcrumbList'],
    [`/topics/${topic}`]: ['CollectionPage', 'BreadcrumbList'],
    [`/people/${reporter.handle}`]: ['ProfilePage', 'BreadcrumbList'],
    [live(newsroom)]: ['LiveBlogPosting', 'BreadcrumbList'],
    [live(newsroom, '/1')]: ['NewsArticle', 'BreadcrumbList'],
    [live(newsroom, '/timeline')]: ['BreadcrumbList'],
  };
  for (const [path, types] of Object.entries(kinds)) {
    const [text = '{}', ...more] = await structuredData(path);
    expect(more, path).toEqual([]);
    expect(await mistakesIn(text), path).toEqual([]);
    const graph = JSON.parse(text)['@graph'] as { '@type': string }[];
    expect(
      graph.map((thing) => thing['@type']),
      path,
    ).toEqual(types);
  }
  // Pages that are not indexed have no structured data.
  expect(await structuredData(live(newsroom, '/2'))).toEqual([]);
  expect(await structuredData(live(newsroom, '?order=oldest'))).toEqual([]);
  const [text = ''] = await structuredData(live(newsroom));
  expect(JSON.parse(text)['@graph'][0]).toMatchObject({
    coverageStartTime: expect.stringMatching(/[+-]\d\d:\d\d$/),
    liveBlogUpdate: [
      {},
      { headline: 'One boat', correction: [{ text: 'It was one boat, </script> not two.' }] },
    ],
  });
});

test('tells crawlers about private paths, pages without index and the sitemap', async ({ site, people }) => {
  const robots = await read(site, '/robots.txt');
  expect(robots).toContain(`Sitemap: ${site.url}/sitemap.xml\n`);
  for (const path of ['/desk', '/account', '/api/', '/search', '/sign-in']) {
    expect(robots).toContain(`Disallow: ${path}\n`);
  }
  expect((await ask(site, '/sign-in')).headers.get('x-robots-tag')).toBe('noindex');
  const desk = await (await signInWithCookies(site.url, people.editor)).get('/desk');
  expect(desk.headers.get('x-robots-tag')).toBe('noindex');
  expect(await read(site, '/search?q=river')).toContain('<meta name="robots" content="noindex">');
  expect(await read(site, '/')).toContain('<meta name="robots" content="max-image-preview:large">');
});
