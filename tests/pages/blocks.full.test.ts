import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, vi } from 'vitest';
import { mediaFileOf } from '../../src/lib/domain/media-files.ts';
import { photoPath } from '../../src/lib/domain/photos.ts';
import { corrections as differenceWords } from '../../src/lib/i18n/en/corrections.ts';
import { reader as english } from '../../src/lib/i18n/en/reader.ts';
import { reader as spanish } from '../../src/lib/i18n/es/reader.ts';
import { correctBlocks, POST, type Published, publishBlocks, VIDEO } from '../support/every-block.ts';
import { filesOf, runCommand } from '../support/export-folder.ts';
import { RELOAD } from '../support/http-client.ts';
import { call } from '../support/newsroom.ts';
import { addPhoto } from '../support/photos.ts';
import type { TestSite } from '../support/site.ts';
import { dataOf, mistakesIn } from '../support/structured-data.ts';
import { test as base } from '../support/test.ts';

/* Every kind of block in every place where readers and programs meet it. */

const test = base.extend('ownSite', true);

const OSM = 'https://www.openstreetmap.org/?mlat=53.69012&amp;mlon=-0.44213#map=15/53.69012/-0.44213';

const get = async (site: TestSite, path: string) => {
  const response = await fetch(site.url + path, { headers: RELOAD });
  expect(response.status, path).toBe(200);
  return response.text();
};

/** What each kind of block leaves in the HTML of a page, with all its parts. */
const onPages = ({ photo, file }: Published, words: typeof english): Record<string, string[]> => ({
  photo: [
    photoPath(photo, 480),
    'The quayside at noon',
    'Harrow Bridge at noon',
    words.photoBy('A. Reporter'),
  ],
  post: [
    'The cellar is full.',
    '@ana@social.example',
    words.post.link('Mastodon'),
    words.post.quoted,
    words.post.gone,
  ],
  video: [
    'The bridge falls',
    'Filmed from Millbrook.',
    words.player.open('YouTube'),
    words.player.play('youtube-nocookie.com'),
  ],
  file: ['The harbourmaster speaks', 'Go home.', `href="${file}"`, playOf(file, words)],
  map: ['Gymnasium', OSM, 'geo:53.69012,-0.44213?z=15', words.coordinates(53.69012, -0.44213), words.mapApp],
  table: [
    '<caption>Where to sleep</caption>',
    '<th scope="col"',
    'Riverside',
    'Town council',
    words.asOf,
    '<b class="closed">full',
  ],
});

const playOf = (path: string, { player }: typeof english) => {
  const file = mediaFileOf(path);
  return file ? player.playFile(file) : path;
};

/** The same where no scripts and styles of ours apply. Addresses are absolute. */
const elsewhere = (
  site: TestSite,
  { photo, file }: Published,
  words: typeof english,
): Record<string, string[]> => ({
  photo: [`${site.url}${photoPath(photo, 960)}`, 'The quayside at noon', words.photoBy('A. Reporter')],
  post: ['The cellar is full.', '@ana@social.example', words.post.quoted, words.post.gone],
  video: [`<a href="${VIDEO}">The bridge falls</a>`, 'Filmed from Millbrook.'],
  file: [`<a href="${site.url}${file}">The harbourmaster speaks</a>`, 'Go home.'],
  map: ['Gymnasium', OSM, words.coordinates(53.69012, -0.44213)],
  table: ['<caption>Where to sleep</caption>', 'Riverside', 'Town council', words.asOf, 'align="right"'],
});

function expectAll(html: string, parts: Record<string, string[]>, place: string) {
  const missing = Object.entries(parts).flatMap(([kind, texts]) =>
    texts.filter((text) => !html.includes(text)).map((text) => `${kind}: ${text}`),
  );
  expect(missing, place).toEqual([]);
}

/** Undoes the escapes of a JSON text. */
const htmlOfItems = (json: string) =>
  (JSON.parse(json).items as { content_html?: string }[]).map((item) => item.content_html).join('');

test('every kind of block is on each page, in frames, fragments and feeds', async ({ site, newsroom }) => {
  const published = await publishBlocks(site, newsroom);
  const live = `/live/${newsroom.coverage.slug}`;
  for (const path of [live, `${live}/1`, `${live}/changes?after=0`, `${live}/embed`, `${live}?order=oldest`])
    expectAll(await get(site, path), onPages(published, english), path);
  const there = elsewhere(site, published, english);
  expectAll(await get(site, `${live}/part`), there, 'part');
  const atom = await get(site, `${live}/feed.atom`);
  expectAll(
    atom
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;amp;', '&amp;'),
    there,
    'Atom',
  );
  expectAll(htmlOfItems(await get(site, `${live}/feed.json`)), there, 'JSON Feed');
});

test('a search finds the words of every kind of block', async ({ site, newsroom }) => {
  await publishBlocks(site, newsroom);
  const { slug } = newsroom.coverage;
  for (const word of ['cellar', 'Millbrook', 'harbourmaster', 'Gymnasium', 'Riverside', 'council'])
    await vi.waitFor(async () => {
      expect(await get(site, `/search?q=${word}&coverage=${slug}`), word).toContain(`href="/live/${slug}/1"`);
    });
});

test('structured data describes every kind of block', async ({ site, newsroom }) => {
  const { photo, file } = await publishBlocks(site, newsroom);
  const scripts = dataOf(await get(site, `/live/${newsroom.coverage.slug}/1`));
  const graph = scripts.flatMap((script) => JSON.parse(script)['@graph'] as Record<string, unknown>[]);
  expect(graph.find((thing) => thing['@type'] === 'NewsArticle')).toMatchObject({
    articleBody: expect.stringContaining('Riverside\tfull'),
    image: [
      {
        '@type': 'ImageObject',
        url: `${site.url}${photoPath(photo, 1600)}`,
        caption: 'Harrow Bridge at noon',
        creditText: 'A. Reporter',
      },
      expect.stringContaining('card.'),
    ],
    citation: [{ '@type': 'SocialMediaPosting', url: POST, text: 'The cellar is full.' }],
    video: [{ '@type': 'VideoObject', name: 'The bridge falls', url: VIDEO }],
    audio: [{ '@type': 'AudioObject', contentUrl: `${site.url}${file}`, duration: 'PT61S' }],
    contentLocation: [{ '@type': 'Place', name: 'Gymnasium' }],
  });
  for (const script of scripts) expect(await mistakesIn(script)).toEqual([]);
});

test('a correction shows the difference in every kind of block', async ({ site, newsroom }) => {
  const { update, body, photo } = await publishBlocks(site, newsroom);
  const other = await addPhoto(site, newsroom, 'The quayside by night');
  await correctBlocks(newsroom, update, body, other.block);
  const path = `/live/${newsroom.coverage.slug}/1`;
  await vi.waitFor(async () => expect(await get(site, path)).toContain('<del>'));
  const html = await get(site, path);
  const [removed, added] = ['del', 'ins'].map((name) =>
    [...html.matchAll(new RegExp(`<${name}[^>]*>(.*?)</${name}>`, 'gs'))].map(([, text]) => text).join(' '),
  );
  for (const word of ['cellar', 'falls', 'speaks', 'Gymnasium', '0.44213', 'full'])
    expect(removed).toContain(word);
  for (const word of ['attic', 'stands', 'explains', 'Chapel', '0.5', '40']) expect(added).toContain(word);
  // A photo is named, not described word by word.
  expect(html).toContain(photoPath(other.id, 480));
  expect(html).not.toContain(photoPath(photo, 480));
  expect(html).toContain(differenceWords.difference.photo);
});

test('every kind of block is shown in Spanish, and in a page that is read from right to left', async ({
  site,
  newsroom,
}) => {
  const { id: coverage_id, slug } = newsroom.coverage;
  const { client } = newsroom.people.editor;
  const published = await publishBlocks(site, newsroom);
  const setLanguage = (version: number, language: string) =>
    call(client, 'save_coverage', { coverage_id, version, content: { language } });
  await setLanguage(1, 'es');
  await vi.waitFor(async () => expect(await get(site, `/live/${slug}`)).toContain('<html lang="es"'));
  for (const path of [`/live/${slug}`, `/live/${slug}/1`, `/live/${slug}/embed`])
    expectAll(await get(site, path), onPages(published, spanish), path);
  expectAll(await get(site, `/live/${slug}/part`), elsewhere(site, published, spanish), 'part');
  expectAll(
    htmlOfItems(await get(site, `/live/${slug}/feed.json`)),
    elsewhere(site, published, spanish),
    'feed',
  );

  // The interface has no Arabic, so its words are English.
  await setLanguage(2, 'ar');
  await vi.waitFor(async () => expect(await get(site, `/live/${slug}`)).toContain('dir="rtl"'));
  for (const path of [`/live/${slug}`, `/live/${slug}/1`, `/live/${slug}/embed`])
    expectAll(await get(site, path), onPages(published, english), path);
  const rtl = { ...elsewhere(site, published, english), table: ['align="left"', 'Riverside'] };
  expectAll(await get(site, `/live/${slug}/part`), rtl, 'part');
  expectAll(htmlOfItems(await get(site, `/live/${slug}/feed.json`)), rtl, 'feed');
});

const folders = await mkdtemp(join(tmpdir(), 'stoppress-blocks-'));
afterAll(() => rm(folders, { recursive: true, force: true }));

test('an exported folder has every kind of block, with the bytes of photos and files', async ({
  site,
  newsroom,
}) => {
  const { photo, file } = await publishBlocks(site, newsroom);
  const { code, errors } = await runCommand('export', folders, [newsroom.coverage.slug, '--to', 'folder'], {
    STOPPRESS_DATA: site.data,
    SITE_URL: site.url,
  });
  expect([code, errors]).toEqual([0, '']);
  const files = await filesOf(join(folders, 'folder'));
  for (const page of ['index.html', 'updates/1.html']) {
    const html = files.get(page)?.toString() ?? '';
    for (const text of [
      'The quayside at noon',
      'The cellar is full.',
      'The bridge falls',
      'The harbourmaster speaks',
      'Gymnasium',
      'Riverside',
    ])
      expect(html, `${page}: ${text}`).toContain(text);
    expect(html).not.toContain('<iframe');
  }
  const stored = Buffer.from(await (await fetch(site.url + file)).arrayBuffer());
  const names = [...files.keys()];
  const copy = names.find((name) => name.startsWith('media/'));
  expect(files.get(copy ?? '')?.equals(stored)).toBe(true);
  expect(names.filter((name) => name.includes(photo)).length).toBeGreaterThan(0);
});
