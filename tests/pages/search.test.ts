import { type DefaultTreeAdapterMap, parse } from 'parse5';
import { expect } from 'vitest';
import { SIGNED_IN_SCRIPT } from '../../src/lib/domain/sign-in.ts';
import { search as messages } from '../../src/lib/i18n/en/lists.ts';
import { reader as readerMessages } from '../../src/lib/i18n/en/reader.ts';
import { call, paragraph } from '../support/newsroom.ts';
import type { TestSite } from '../support/site.ts';
import { test } from '../support/test.ts';

const ask = async (site: TestSite, query: string) => {
  const answer = await fetch(`${site.url}/search${query}`);
  // The script of the header is the only one that every page has.
  const html = (await answer.text()).replace(`<script>${SIGNED_IN_SCRIPT}</script>`, '');
  return { status: answer.status, headers: answer.headers, html };
};
const searchPage = async (site: TestSite, query: string) => (await ask(site, query)).html;

/** Names of the elements that a browser parses from a page. */
const namesIn = (node: DefaultTreeAdapterMap['parentNode']): string[] =>
  node.childNodes.flatMap((child) => ('childNodes' in child ? [child.nodeName, ...namesIn(child)] : []));

test('finds published updates and narrows them by coverage, topic, person and day', async ({
  site,
  newsroom,
}) => {
  const { coverage, people } = newsroom;
  const topic = `${coverage.slug}-topic`;
  await call(people.editor.client, 'save_topic', { slug: topic, name: 'High <water>', description: '' });
  await call(people.editor.client, 'save_coverage', {
    coverage_id: coverage.id,
    version: 1,
    content: { topics: [topic] },
  });
  const update = await newsroom.publish({
    headline: 'Evacuation & <order> of Quayside',
    body: [paragraph('Everybody leaves the quay: <b>now</b>.')],
    key_event: true,
  });
  await newsroom.correct(
    update,
    { headline: 'Evacuation & <order> of Quayside', key_event: true },
    'Of the quay.',
  );

  await expect.poll(() => searchPage(site, '?q=quayside')).toContain('Corrected');
  const { status, headers, html } = await ask(site, `?q=quayside&coverage=${coverage.slug}`);
  expect([status, headers.get('cache-control'), headers.get('cache-tag')]).toEqual([
    200,
    'max-age=0, s-maxage=10',
    'site,updates',
  ]);
  expect(html).toMatch(/<meta name="robots" content="noindex">/);
  expect(html).toContain('Evacuation &amp; &lt;order&gt; of <mark>Quayside</mark>');
  expect(html).toContain(readerMessages.keyEvent);
  expect(html).toContain(`href="/live/${coverage.slug}/1"`);
  expect(html).toMatch(/<time datetime="[^"]+Z">\s*<span>\d+ \w+/);
  // The chosen filter stays selected and can be removed.
  expect(html).toMatch(new RegExp(`<option value="${coverage.slug}" selected`));
  expect(html).toContain('href="/search?q=quayside"');
  expect(html).not.toContain('<script');

  const by = (name: string, value: string) => searchPage(site, `?q=quayside&${name}=${value}`);
  const today = new Date().toISOString().slice(0, 10);
  for (const [name, value] of [
    ['topic', topic],
    ['person', people.reporter.handle],
    ['from', today],
    ['to', today],
  ] as const)
    expect(await by(name, value), name).toContain('<mark>Quayside</mark>');
  for (const [name, value] of [
    ['topic', 'no-such-topic'],
    ['person', 'nobody'],
    ['coverage', 'no-such-coverage'],
    ['from', '2099-01-01'],
    ['to', '2001-01-01'],
  ] as const) {
    const nothing = await by(name, value);
    expect(nothing, name).toContain(messages.none('quayside'));
    expect(nothing, name).toContain(messages.everywhere);
  }
  // A coverage is one result.
  const whole = await searchPage(site, '?q=harrow');
  expect(whole).toMatch(
    /<p class="kicker">Floods<\/p>\s*<h3><a href="\/live\/[^"]+">The river rises at <mark>Harrow<\/mark>/,
  );

  // The search corrects a typing error after indexing the words, and keeps the typed text. A response is cached for ten seconds.
  const mistyped = `?q=evacation&coverage=${coverage.slug}`;
  await expect
    .poll(() => searchPage(site, mistyped), { timeout: 40_000 })
    .toContain(messages.meant('evacuation'));
  expect(await searchPage(site, mistyped)).toContain('value="evacation"');
});

test('removes withdrawn updates and coverages from the results at once', async ({ site, newsroom }) => {
  const word = `zanzibar${newsroom.coverage.slug.slice(-8).replace(/\d/g, 'x')}`;
  const secret = await newsroom.publish({ headline: `A secret of ${word}` });
  await newsroom.publish({ headline: `Nothing else of ${word}` });
  await expect.poll(() => searchPage(site, `?q=${word}`)).toContain('A secret of');
  await expect.poll(() => searchPage(site, `?q=${word}`)).toContain(messages.resultCount(2));
  await newsroom.withdraw(secret, 'It was not ours to tell.');
  await expect.poll(() => searchPage(site, `?q=${word}`), { timeout: 3_000 }).not.toContain('A secret of');
  expect(await searchPage(site, `?q=${word}`)).toContain(messages.resultCount(1));
  await newsroom.setState('withdrawn');
  await expect.poll(() => searchPage(site, `?q=${word}`), { timeout: 3_000 }).toContain(messages.none(word));
});

test('explains itself without a query, and shows an invalid query with its problem', async ({ site }) => {
  const form = await ask(site, '');
  expect([form.status, form.html.match(/<h1>/g)?.length]).toEqual([200, 1]);
  expect(form.html).toContain(messages.help);
  expect(form.html).toContain('rel="search"');
  expect((await ask(site, '?q=%20&page=4')).html).toContain(messages.help);

  const wordless = await ask(site, '?q=%26%21%21');
  expect(wordless.status).toBe(422);
  expect(wordless.html).toContain('value="&amp;!!"');
  expect(wordless.html).toContain('aria-describedby="q-problem"');
  expect(wordless.html).toContain(messages.noWord);

  const noDay = await ask(site, '?q=river&from=soon&to=2026-02-30');
  expect(noDay.status).toBe(422);
  expect(noDay.html).toContain(messages.noDay('soon'));
  expect(noDay.html).toMatch(/<input[^>]* type="text" value="2026-02-30"/);
  expect(noDay.html).toContain('value="river"');
  expect((await ask(site, '?q=river&from=2026-02-02&to=2026-02-01')).html).toContain(messages.noSpan);

  expect(await (await fetch(`${site.url}/nowhere-at-all`)).text()).toContain('action="/search"');
  const described = await fetch(`${site.url}/opensearch.xml`);
  expect(described.headers.get('content-type')).toContain('opensearchdescription');
  expect(await described.text()).toContain('/search?q={searchTerms}"');
});

test.for([
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  'a\u0002b\u0003<i>c\u0000d',
  '%00',
  "'; drop table updates; --",
  '& | ! ( ) <-> :*',
  '"unbalanced -',
  '- or -or "" ""',
  '\ud800',
  '🌊'.repeat(300),
  'a'.repeat(10_000),
  '((('.repeat(2_000),
  'a or '.repeat(500),
])('accepts any query and escapes it: %j', async (query, { site }) => {
  const { status, html } = await ask(
    site,
    `?q=${encodeURIComponent(query.toWellFormed())}&q=second&page=x&coverage=%00`,
  );
  expect([200, 422]).toContain(status);
  const names = namesIn(parse(html));
  for (const name of ['script', 'img', 'i']) expect(names).not.toContain(name);
  for (const mark of ['\u0000', '\u0002', '\u0003']) expect(html).not.toContain(mark);
});

test('keeps answering pages during many simultaneous searches', async ({ site, newsroom }) => {
  await newsroom.publish();
  const live = `${site.url}/live/${newsroom.coverage.slug}`;
  expect((await fetch(live)).status).toBe(200);
  let isOver = false;
  const flood = Promise.all(
    Array.from({ length: 300 }, (_, n) =>
      fetch(`${site.url}/search?q=river+report+${n}`).then(({ status }) => status),
    ),
  ).finally(() => {
    isOver = true;
  });
  const waits: number[] = [];
  while (!isOver) {
    const startedAt = performance.now();
    // The page of an update is not cached, so it has to be rendered.
    expect((await fetch(`${live}/${waits.length + 1}`)).status).toBeLessThan(500);
    expect((await fetch(live)).status).toBe(200);
    waits.push(performance.now() - startedAt);
  }
  const statuses = await flood;
  // Most searches are rejected, by the limit of one client or the full queue.
  for (const status of statuses) expect([200, 429, 503]).toContain(status);
  expect(statuses.filter((status) => status !== 200).length).toBeGreaterThan(100);
  // On a fast machine the searches end after a few pages.
  expect(waits.length).toBeGreaterThan(1);
});
