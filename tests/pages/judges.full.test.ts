import { HtmlValidate } from 'html-validate';
import { expect } from 'vitest';
import { type CrawledPage, crawl, HTML_RULES, hasJava, nuErrors } from '../support/html-checks.ts';
import { createLiveCoverage, paragraph } from '../support/newsroom.ts';
import { addPhoto } from '../support/photos.ts';
import { seedNewsroom } from '../support/seeded-newsroom.ts';
import { dataOf, mistakesIn } from '../support/structured-data.ts';
import { test as base } from '../support/test.ts';

/** Judges that were written elsewhere, of all that a search engine can reach of a newsroom that has everything. */
const test = base
  .extend('ownSite', true)
  .extend('furnished', { scope: 'file' }, async ({ people, site }) => {
    const newsroom = await seedNewsroom(await createLiveCoverage(people));
    const { block } = await addPhoto(site, newsroom);
    await newsroom.publish({ headline: 'As seen from the quay', body: [paragraph('High water.'), block] });
    const over = await createLiveCoverage(people);
    for (let n = 1; n <= 33; n++)
      await over.publish(n % 6 === 0 ? { headline: `Hour ${n}`, key_event: true } : {});
    await over.setState('ended');
    return { newsroom, over };
  })
  .extend('fromFront', { scope: 'file' }, ({ site, furnished: { newsroom, over } }) =>
    crawl(site, [
      '/',
      '/search?q=river',
      `/live/${newsroom.coverage.slug}/embed`,
      `/live/${over.coverage.slug}/embed`,
    ]),
  );

const isPage = ({ type, status }: CrawledPage) => type.includes('html') && status < 300;

/** Text is what an input without a type is of. */
const HTML = new HtmlValidate({
  ...HTML_RULES,
  rules: { ...HTML_RULES.rules, 'no-implicit-input-type': 'off' },
});

test('no link of any public page is broken, its place on the page included', ({ fromFront }) => {
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

/** Says of a withdrawn update when it stood there and why it does not any more. */
const isTombstone = ({ path }: CrawledPage) => /^\/live\/[^/]+\/\d+$/.test(path);

test('every published update is reached from the front page, and from the sitemap', async ({
  site,
  furnished,
  fromFront,
}) => {
  const { data } = await site.service
    .from('updates')
    .select('number, coverages!updates_coverage_id_fkey(slug)')
    .eq('state', 'published');
  const wanted = (data ?? []).map(
    ({ number, coverages }) => `/live/${(coverages as unknown as { slug: string }).slug}/${number}`,
  );
  expect(wanted.length).toBeGreaterThan(50);
  expect(furnished).toBeDefined();
  expect(wanted.filter((path) => fromFront.get(path)?.status !== 200)).toEqual([]);
  const sitemaps = await crawl(site, ['/sitemap.xml'], /^\/sitemap/);
  const sitemap = sitemaps.get('/sitemap.xml');
  expect([sitemap?.status, sitemap?.type]).toEqual([200, expect.stringContaining('xml')]);
  const reached = new Set([...sitemaps.values()].flatMap(({ links }) => links));
  // What is no page of a coverage leads back to the front page, from where everything is reached anyway.
  for (const path of reached) {
    const links = path.startsWith('/live/') ? (fromFront.get(path)?.links ?? []) : [];
    for (const link of links) reached.add(link.split('#')[0] ?? '');
  }
  expect(wanted.filter((path) => !reached.has(path))).toEqual([]);
});

test('html-validate finds nothing in any page', async ({ fromFront }) => {
  const pages = [...fromFront.values()].filter(isPage);
  const found: string[] = [];
  for (const { path, text } of pages) {
    const report = await HTML.validateString(text, path);
    found.push(
      ...report.results.flatMap(({ messages }) =>
        messages.map(
          ({ ruleId, message, line, column, selector }) =>
            `${ruleId} ${path} ${line}:${column} ${selector}: ${message}`,
        ),
      ),
    );
  }
  expect(found).toEqual([]);
});

test.skipIf(!(await hasJava()))(
  'the Nu checker finds no error in any page (needs Java)',
  async ({ fromFront }) => {
    expect(await nuErrors([...fromFront.values()].filter(isPage))).toEqual([]);
  },
);

test('what every page tells machines is in the vocabulary of schema.org', async ({ fromFront }) => {
  const mistakes: string[] = [];
  let told = 0;
  for (const { path, text } of [...fromFront.values()].filter(isPage)) {
    for (const data of dataOf(text)) {
      told++;
      mistakes.push(...(await mistakesIn(data)).map((mistake) => `${path}: ${mistake}`));
    }
  }
  expect(told).toBeGreaterThan(10);
  expect(mistakes).toEqual([]);
});
