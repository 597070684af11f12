import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { follow as words } from '../../src/lib/i18n/en/follow.ts';
import { reader } from '../../src/lib/i18n/en/reader.ts';
import { signInWithCookies } from '../support/http-client.ts';
import { call } from '../support/newsroom.ts';
import type { TestSite } from '../support/site.ts';
import { test } from '../support/test.ts';
import { ask, get, live, read } from './reading-context.ts';

/** The link to alerts in the header of a page. */
const headerLink = (html: string) =>
  new RegExp(`<a href="([^"]*)">${reader.alerts}</a>`).exec(
    /<header class="masthead">[\s\S]*?<\/header>/.exec(html)?.[0] ?? '',
  )?.[1];

const headerLinkOf = async (site: TestSite, path: string) => headerLink((await get(site, path)).html);

test('needs no account, contains nothing of a session, and is cached', async ({ site, people }) => {
  const answer = await ask(site, '/follow');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('set-cookie')).toBeNull();
  expect(answer.headers.get('cache-control')).toContain('s-maxage');
  expect(answer.headers.get('vary')).toBe('accept-encoding');
  const { html, main } = await read(answer);
  expect(html).toContain('<meta name="robots" content="noindex">');
  // Without a script the page says why it lists no alerts of the device.
  expect(main).toContain(`<noscript><p class="help">${words.device.script}</p></noscript>`);
  const own = await (await (await signInWithCookies(site.url, people.reader)).get('/follow')).text();
  expect(own).not.toContain(people.reader.email);
  // A form has no effect here.
  const form = await fetch(`${site.url}/follow`, { method: 'POST', headers: { origin: site.url } });
  expect([form.status, form.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('leads to the alerts of live and planned coverages and of topics, until a coverage ends', async ({
  site,
  people,
  newsroom,
}) => {
  const editor = people.editor.client;
  const { slug } = newsroom.coverage;
  const planned = { id: randomUUID(), slug: `${slug}-later` };
  const content = { slug: planned.slug, headline: 'The dyke opens', starts_at: '2999-01-01T10:00:00Z' };
  await call(editor, 'create_coverage', { coverage_id: planned.id, content });
  const draft = await get(site, '/follow');
  expect(draft.main).not.toContain(planned.slug);
  await call(editor, 'set_coverage_state', { coverage_id: planned.id, state: 'scheduled' });
  await call(editor, 'save_topic', { slug: `${slug}-topic`, name: 'Floods', description: 'High water.' });

  const links = async () =>
    [...(await get(site, '/follow')).main.matchAll(/href="\/follow\/([^"]+)"/g)].map(([, path]) => path);
  const all = [`live/${slug}`, `live/${planned.slug}`, `topics/${slug}-topic`];
  await expect.poll(links).toEqual(expect.arrayContaining(all));
  const shown = (await links()).filter((path) => path !== undefined && all.includes(path));
  expect(shown).toEqual(all);
  const { main } = await get(site, '/follow');
  expect(main.indexOf(words.choices.running)).toBeLessThan(main.indexOf(slug));
  expect(main).toContain('High water.');

  await newsroom.setState('ended');
  await expect.poll(links).not.toContain(`live/${slug}`);
});

test('the header of each page leads to alerts without an account', async ({ site, people, newsroom }) => {
  const { slug } = newsroom.coverage;
  for (const path of ['/', '/archive', '/corrections', '/search', '/tips', '/about', '/follow'])
    expect(await headerLinkOf(site, path), path).toBe('/follow');
  expect(await headerLinkOf(site, live(newsroom))).toBe(`/follow${live(newsroom)}`);

  const planned = { id: randomUUID(), slug: `${slug}-later` };
  const content = { slug: planned.slug, headline: 'The dyke opens', starts_at: '2999-01-01T10:00:00Z' };
  await call(people.editor.client, 'create_coverage', { coverage_id: planned.id, content });
  await call(people.editor.client, 'set_coverage_state', { coverage_id: planned.id, state: 'scheduled' });
  await expect.poll(() => headerLinkOf(site, `/live/${planned.slug}`)).toBe(`/follow/live/${planned.slug}`);

  await newsroom.setState('ended');
  await expect.poll(() => headerLinkOf(site, live(newsroom))).toBe('/follow');
});
