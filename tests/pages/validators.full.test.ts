import { HtmlValidate } from 'html-validate';
import { expect } from 'vitest';
import { type CrawledPage, crawl, HTML_RULES, hasJava, nuCheckerErrors } from '../support/html-checks.ts';
import { createLiveCoverage, paragraph } from '../support/newsroom.ts';
import { addPhoto } from '../support/photos.ts';
import { seedNewsroom } from '../support/seeded-newsroom.ts';
import { dataOf, mistakesIn } from '../support/structured-data.ts';
import { test as base } from '../support/test.ts';

/** External validators on every page that a search engine reaches, for a newsroom with all kinds of content. */
const test = base
  .extend('ownSite', true)
  .extend('seeded', { scope: 'file' }, async ({ people, site }) => {
    const newsroom = await seedNewsroom(await createLiveCoverage(people));
    const { block } = await addPhoto(site, newsroom);
    await newsroom.publish({ headline: 'As seen from the quay', body: [paragraph('High water.'), block] });
    const ended = await createLiveCoverage(people);
    for (let n = 1; n <= 33; n++)
      await ended.publish(n % 6 === 0 ? { headline: `Hour ${n}`, key_event: true } : {});
    await ended.setState('ended');
    return { newsroom, ended };
  })
  .extend('fromFront', { scope: 'file' }, ({ site, seeded: { newsroom, ended } }) =>
    crawl(site, [
      '/',
      '/search?q=river',
      `/live/${newsroom.coverage.slug}/embed`,
      `/live/${ended.coverage.slug}/embed`,
    ]),
  );

const isPage = ({ type, status }: CrawledPage) => type.includes('html') && status < 300;

/** An input without a type is a text field. */
const HTML = new HtmlValidate({
  ...HTML_RULES,
  rules: { ...HTML_RULES.rules, 'no-implicit-input-type': 'off' },
});

test('contains no broken link or fragment on any public page', ({ fromFront }) => {
  const broken = [...fromFront.values()].flatMap(({ path, links }) =>
    links.flatMap((link) => {
      const [target = '', place] = link.split('#');
      const page = fromFront.get(target);
      if (!page) return [];
      const isThere = page.status < 400 || (page.status === 410 && isTombstone(page));
      if (!isThere) return [`${path} leads to ${link}: ${page.status}`];
      if (place && isPage(page) && !page.ids.has(decodeURIComponent(place))) {
        return [`${path} leads to ${link}: no such place`];
      }
      return [];
    }),
  );
  expect(broken).toEqual([]);
});

/** Whether the path is that of an update; a withdrawn one answers 410 with its reason. */
const isTombstone = ({ path }: CrawledPage) => /^\/live\/[^/]+\/\d+$/.test(path);

test('reaches every published update from the front page and from the sitemap', async ({
  site,
  seeded,
  fromFront,
}) => {
  const { data } = await site.service
    .from('updates')
    .select('number, coverages!updates_coverage_id_fkey(slug)')
    .eq('state', 'published');
  const expected = (data ?? []).map(
    ({ number, coverages }) => `/live/${(coverages as unknown as { slug: string }).slug}/${number}`,
  );
  expect(expected.length).toBeGreaterThan(50);
  expect(seeded).toBeDefined();
  expect(expected.filter((path) => fromFront.get(path)?.status !== 200)).toEqual([]);
  const sitemaps = await crawl(site, ['/sitemap.xml'], /^\/sitemap/);
  const sitemap = sitemaps.get('/sitemap.xml');
  expect([sitemap?.status, sitemap?.type]).toEqual([200, expect.stringContaining('xml')]);
  const reached = new Set([...sitemaps.values()].flatMap(({ links }) => links));
  // Other pages lead back to the front page, which reaches everything, so their links do not count.
  for (const path of reached) {
    const links = path.startsWith('/live/') ? (fromFront.get(path)?.links ?? []) : [];
    for (const link of links) reached.add(link.split('#')[0] ?? '');
  }
  expect(expected.filter((path) => !reached.has(path))).toEqual([]);
});

test('passes html-validate on every page', async ({ fromFront }) => {
  const pages = [...fromFront.values()].filter(isPage);
  const problems: string[] = [];
  for (const { path, text } of pages) {
    const report = await HTML.validateString(text, path);
    problems.push(
      ...report.results.flatMap(({ messages }) =>
        messages.map(
          ({ ruleId, message, line, column, selector }) =>
            `${ruleId} ${path} ${line}:${column} ${selector}: ${message}`,
        ),
      ),
    );
  }
  expect(problems).toEqual([]);
});

test.skipIf(!(await hasJava()))(
  'passes the Nu HTML checker on every page (needs Java)',
  async ({ fromFront }) => {
    expect(await nuCheckerErrors([...fromFront.values()].filter(isPage))).toEqual([]);
  },
);

test('writes structured data in the vocabulary of schema.org on every page', async ({ fromFront }) => {
  const mistakes: string[] = [];
  let count = 0;
  for (const { path, text } of [...fromFront.values()].filter(isPage)) {
    for (const data of dataOf(text)) {
      count++;
      mistakes.push(...(await mistakesIn(data)).map((mistake) => `${path}: ${mistake}`));
    }
  }
  expect(count).toBeGreaterThan(10);
  expect(mistakes).toEqual([]);
});
