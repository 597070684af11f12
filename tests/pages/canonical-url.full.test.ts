import { expect } from 'vitest';
import { errorMessages } from '../../src/lib/i18n/en/database-errors.ts';
import { settings as words } from '../../src/lib/i18n/en/settings.ts';
import { seenField, signInWithCookies } from '../support/http-client.ts';
import type { Newsroom } from '../support/newsroom.ts';
import type { TestSite } from '../support/site.ts';
import { dataOf } from '../support/structured-data.ts';
import { test as base } from '../support/test.ts';
import { ask, live } from './reading-context.ts';

// It reads the sitemap of the whole site.
const test = base.extend('ownSite', true);

const ELSEWHERE = 'https://paper.example/2026/flood';

/** Fills in the form at the desk, as an editor. */
async function submit(site: TestSite, newsroom: Newsroom, canonical_url: string): Promise<Response> {
  const jar = await signInWithCookies(site.url, newsroom.people.editor);
  const path = `/desk/${newsroom.coverage.slug}/settings`;
  const seen = seenField(await (await jar.get(path)).text(), 'canonical');
  return jar.post(path, { form: 'canonical', seen, canonical_url });
}

const canonicalOf = async (site: TestSite, path: string) =>
  /<link rel="canonical" href="([^"]*)">/.exec(await (await ask(site, path)).text())?.[1];

test('keeps the typed text of an address that is refused, and says why', async ({ site, newsroom }) => {
  for (const typed of ['http://paper.example/a', 'paper.example', 'javascript:alert(1)']) {
    const answer = await submit(site, newsroom, typed);
    const page = await answer.text();
    expect(answer.status, typed).toBe(422);
    expect(page, typed).toContain(`value="${typed}"`);
    expect(page, typed).toContain(errorMessages.canonical_url_wrong);
  }
  const own = site.url + live(newsroom);
  expect(await canonicalOf(site, live(newsroom))).toBe(own);
});

test('names the address on the live page, in its embed and part, and leaves the coverage out of the sitemap', async ({
  site,
  newsroom,
}) => {
  await newsroom.publish({ headline: 'An update', key_event: true });
  const own = site.url + live(newsroom);
  const month = new Date().toISOString().slice(0, 7);
  const sitemap = async () => (await ask(site, `/sitemaps/${month}.xml`)).text();
  const news = async () => (await ask(site, '/sitemap-news.xml')).text();
  await expect.poll(sitemap).toContain(`<loc>${own}</loc>`);

  const answer = await submit(site, newsroom, ' HTTPS://Paper.example/2026/flood#top ');
  expect(answer.headers.get('location')).toBe(
    `/desk/${newsroom.coverage.slug}/settings?done=canonical#canonical`,
  );
  await expect.poll(() => canonicalOf(site, live(newsroom))).toBe(ELSEWHERE);
  await expect.poll(() => canonicalOf(site, live(newsroom, '/embed'))).toBe(ELSEWHERE);
  expect(await canonicalOf(site, live(newsroom, '/1'))).toBe(`${own}/1`);
  const part = await ask(site, live(newsroom, '/part'));
  expect(part.headers.get('link')).toBe(`<${ELSEWHERE}>; rel="canonical"`);
  for (const page of [part, await ask(site, live(newsroom))]) {
    const [text = ''] = dataOf(await page.text());
    expect(JSON.parse(text)['@graph'][0]).toMatchObject({ url: own, mainEntityOfPage: ELSEWHERE });
  }
  await expect.poll(sitemap).not.toContain(`<loc>${own}</loc>`);
  expect(await sitemap()).toContain(`<loc>${own}/1</loc>`);
  expect(await news()).not.toContain(`<loc>${own}</loc>`);

  const jar = await signInWithCookies(site.url, newsroom.people.owner);
  const log = await (await jar.get('/desk/people/log')).text();
  expect(log).toContain('canonical address');
  expect((await submit(site, newsroom, '')).status).toBe(303);
  await expect.poll(() => canonicalOf(site, live(newsroom))).toBe(own);
  const desk = await (await jar.get(`/desk/${newsroom.coverage.slug}/settings?done=canonical`)).text();
  expect(desk).toContain(words.done.canonical);
});
