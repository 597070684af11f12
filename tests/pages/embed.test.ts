import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { embed as words } from '../../src/lib/i18n/embed.ts';
import { reader } from '../../src/lib/i18n/reader.ts';
import { signInJar } from '../support/http-client.ts';
import { call, type Newsroom } from '../support/newsroom.ts';
import type { TestSite } from '../support/site.ts';
import { test as base } from '../support/test.ts';

const test = base.extend('ownSite', true);

const embedOf = ({ coverage }: Newsroom) => `/live/${coverage.slug}/embed`;
const frameAncestors = (answer: Response) =>
  /frame-ancestors ([^;]*)/.exec(answer.headers.get('content-security-policy') ?? '')?.[1];

const setFrames = ({ people }: Newsroom, frames: string[]) =>
  call(people.owner.client, 'save_site', { content: { frames } });

/** What other sites are told of an address. */
const ask = (site: TestSite, url: string, more: Record<string, string> = {}) =>
  fetch(`${site.url}/oembed?${new URLSearchParams({ url, ...more })}`, { redirect: 'manual' });

/** A coverage of its own with nothing in it. */
async function another({ people }: Newsroom, states: string[], content: object = {}) {
  const [coverage_id, slug] = [randomUUID(), `other-${randomUUID().slice(0, 8)}`];
  const editor = people.editor.client;
  await call(editor, 'create_coverage', { coverage_id, content: { slug, headline: 'Another', ...content } });
  for (const state of states) await call(editor, 'set_coverage_state', { coverage_id, state });
  return { coverage_id, slug };
}

test('a frame has the newest updates and nothing of a page around them; no other page may stand in one', async ({
  site,
  newsroom,
}) => {
  for (let n = 1; n <= 12; n++) await newsroom.publish({ headline: `Headline ${n} <i>` });
  const answer = await fetch(site.url + embedOf(newsroom));
  const html = await answer.text();
  expect(html.match(/<article id="update-\d+"/g)).toHaveLength(10);
  expect(html).toContain('Headline 12 &lt;i&gt;');
  expect(html).not.toContain('Headline 2 ');
  const live = `${site.url}/live/${newsroom.coverage.slug}`;
  expect(html).toContain(`<link rel="canonical" href="${live}">`);
  expect(html).toContain('<meta name="robots" content="noindex">');
  expect(html).toContain('<base target="_blank">');
  expect(html).toMatch(
    new RegExp(`<h1><a href="/live/${newsroom.coverage.slug}" target="_blank" rel="noopener">`),
  );
  expect(html).toContain(words.all('Stoppress'));
  expect(html).not.toMatch(/class="masthead"|ld\+json|<form|rel="manifest"|og:/);

  expect(frameAncestors(answer)).toBe('*');
  const head = answer.headers;
  expect(head.get('cross-origin-resource-policy')).toBe('cross-origin');
  expect(head.get('cross-origin-embedder-policy')).toBe('require-corp');
  expect(head.get('cache-tag')).toBe(`site,coverage:${newsroom.coverage.id}`);
  expect(head.get('set-cookie')).toBeNull();
  for (const path of [
    '/',
    `/live/${newsroom.coverage.slug}`,
    `/live/${newsroom.coverage.slug}/12`,
    '/tips',
    '/sign-in',
    '/404',
  ])
    expect(frameAncestors(await fetch(site.url + path)), path).toBe("'none'");
});

test('a coverage that has not begun, is over, has another name or is no more says so in its frame', async ({
  site,
  newsroom,
}) => {
  const { people, coverage } = newsroom;
  const get = (path: string) => fetch(site.url + path, { redirect: 'manual' });
  const frame = async (slug: string) => {
    const answer = await get(`/live/${slug}/embed`);
    return { status: answer.status, ancestors: frameAncestors(answer), html: await answer.text() };
  };
  const scheduled = await another(newsroom, ['scheduled'], { starts_at: '2999-01-01T10:00:00Z' });
  expect(await frame(scheduled.slug)).toMatchObject({
    status: 200,
    html: expect.stringContaining(words.waiting),
  });
  const draft = await another(newsroom, []);
  const missing = {
    status: 404,
    ancestors: '*',
    html: expect.stringContaining(reader.errors.not_found.title),
  };
  for (const slug of [draft.slug, 'never-was', 'No_Slug'])
    expect(await frame(slug), slug).toMatchObject(missing);

  await newsroom.publish({ headline: 'The last word' });
  const over = await another(newsroom, ['live', 'ended']);
  const { html } = await frame(over.slug);
  expect(html).toContain('class="ended"');
  expect(html).not.toContain('<astro-island');

  const slug = `${coverage.slug}-moved`;
  const { data } = await people.editor.client
    .from('coverages')
    .select('version')
    .eq('id', coverage.id)
    .single();
  await call(people.editor.client, 'save_coverage', {
    coverage_id: coverage.id,
    version: data?.version,
    content: { slug },
  });
  await expect.poll(async () => (await frame(slug)).status).toBe(200);
  const moved = await get(embedOf(newsroom));
  expect([moved.status, moved.headers.get('location')]).toEqual([301, `/live/${slug}/embed`]);
  expect(await (await ask(site, `${site.url}/live/${coverage.slug}`)).json()).toMatchObject({
    html: expect.stringContaining(`/live/${slug}/embed`),
  });

  await call(site.service, 'set_coverage_state', { coverage_id: coverage.id, state: 'withdrawn' });
  const gone = { status: 410, ancestors: '*', html: expect.stringContaining(reader.errors.gone.title) };
  await expect.poll(() => frame(slug)).toMatchObject(gone);
  expect((await frame(slug)).html).not.toContain('The last word');
  expect((await ask(site, `${site.url}/live/${slug}`)).status).toBe(410);
});

test('who may show it is a setting, which every copy goes by at once', async ({ site, newsroom }) => {
  const { owner } = newsroom.people;
  const desk = await signInJar(site.url, owner);
  const save = (frames: string, frame_sites = '') =>
    desk.post('/desk/site', { form: 'frames', frames, frame_sites });
  const ancestors = async () => frameAncestors(await fetch(site.url + embedOf(newsroom)));
  const kept = await (await ask(site, `${site.url}${embedOf(newsroom)}`)).json();
  expect([await ancestors(), kept.type]).toEqual(['*', 'rich']);

  expect(
    (await save('sites', 'Example.org\nhttps://*.example.net/a/page\nhttp://localhost:8080')).status,
  ).toBe(303);
  await expect.poll(ancestors).toBe('https://example.org https://*.example.net http://localhost:8080');
  const form = await (await desk.get('/desk/site')).text();
  expect(form).toContain('https://example.org\nhttps://*.example.net\nhttp://localhost:8080</textarea>');

  for (const [typed, sentence] of [
    ['', words.noSites],
    ['https://example.org; script-src *', words.noSite('*')],
    ['example.org *.org', words.noSite('*.org')],
    ['http://example.org', words.noSite('http://example.org')],
    ['javascript:alert(1)', words.noSite('javascript:alert(1)')],
  ] as const) {
    const refused = await save('sites', typed);
    const page = await refused.text();
    expect(refused.status, typed).toBe(422);
    expect(page, typed).toContain(`>${sentence}<`);
    expect(page, typed).toContain(`${typed}</textarea>`);
  }
  expect(await ancestors()).toContain('https://example.org');

  expect((await save('nobody')).status).toBe(303);
  await expect.poll(ancestors).toBe("'none'");
  const link = await (await ask(site, `${site.url}${embedOf(newsroom)}`)).json();
  expect(link).toMatchObject({ type: 'link', title: 'The river rises at Harrow Bridge' });
  expect(link).not.toHaveProperty('html');
  const settings = await signInJar(site.url, newsroom.people.editor);
  expect(await (await settings.get(`/desk/${newsroom.coverage.slug}/settings`)).text()).toContain(
    words.nobody,
  );
  await setFrames(newsroom, ['*']);
  await expect.poll(ancestors).toBe('*');
});

test('other sites are told of a coverage by any address of it, in the size that they have room for', async ({
  site,
  newsroom,
}) => {
  await newsroom.publish();
  const live = `${site.url}/live/${newsroom.coverage.slug}`;
  const answer = await ask(site, live, { format: 'json' });
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  const told = await answer.json();
  expect(told).toMatchObject({
    version: '1.0',
    type: 'rich',
    title: 'The river rises at Harrow Bridge',
    provider_name: 'Stoppress',
    provider_url: `${site.url}/`,
    width: 700,
    height: 600,
    thumbnail_url: expect.stringMatching(`^${live}/card.png`),
    thumbnail_width: 1200,
    thumbnail_height: 630,
  });
  expect(told.html).toContain(`<iframe src="${live}/embed" title="The river rises at Harrow Bridge"`);
  for (const url of [
    `${live}?before=11#update-3`,
    `${live}/1`,
    `${live}/embed`,
    live.replace('http:', 'https:'),
  ])
    expect(await (await ask(site, url)).json(), url).toEqual(told);

  const small = await (await ask(site, live, { maxwidth: '450', maxheight: '450' })).json();
  expect(small).toMatchObject({ type: 'rich', width: 400, height: 400 });
  expect(small).not.toHaveProperty('thumbnail_url');
  expect(small.html).toContain('width="400" height="400"');
  expect((await ask(site, live, { maxwidth: '99' })).status).toBe(404);
  expect(await (await ask(site, live, { maxwidth: 'x', maxheight: '-1' })).json()).toEqual(told);
  expect((await ask(site, live, { format: 'xml' })).status).toBe(501);

  for (const path of [`/live/${newsroom.coverage.slug}`, `/live/${newsroom.coverage.slug}/1`]) {
    const html = await (await fetch(site.url + path)).text();
    const link = /<link rel="alternate" type="application\/json\+oembed" href="([^"]*)">/.exec(html)?.[1];
    const led = await fetch((link ?? '').replaceAll('&amp;', '&'));
    expect(await led.json(), path).toEqual(told);
  }
});

test('whatever else is asked about, nobody is told anything or led anywhere', async ({ site, newsroom }) => {
  const { host } = new URL(site.url);
  const { slug } = newsroom.coverage;
  const draft = await another(newsroom, []);
  const asked = [
    '',
    'x',
    `/live/${slug}`,
    `https://example.org/live/${slug}`,
    `http://${host}@example.org/live/${slug}`,
    `http://user@${host}/live/${slug}`,
    `http://${host}.example.org/live/${slug}`,
    `http://example.org\\@${host}/live/${slug}`,
    `javascript://${host}/live/${slug}`,
    `file://${host}/live/${slug}`,
    `${site.url}/live/${draft.slug}`,
    `${site.url}/live/${slug}%2F1`,
    `${site.url}/live%2F${slug}`,
    `${site.url}/live/${slug}/changes`,
    `${site.url}/live/${slug}/../../desk`,
    `${site.url}/desk`,
    `${site.url}/`,
    `${site.url}/live/${slug}?${'x'.repeat(10_000)}`,
    'http://169.254.169.254/latest/meta-data',
    `http://[::1]:1/live/${slug}`,
  ];
  for (const url of asked) {
    const answer = await ask(site, url);
    expect([answer.status, answer.headers.get('location')], url).toEqual([404, null]);
    expect(await answer.text(), url).not.toMatch(/iframe|harrow/i);
  }
  // Addresses that anybody can make up leave nothing behind.
  const other = await ask(site, `https://example.org/live/${slug}`);
  expect(other.headers.get('cache-control')).toContain('no-store');
  const twice = await fetch(`${site.url}/oembed?url=x&url=${encodeURIComponent(`${site.url}/live/${slug}`)}`);
  expect(twice.status).toBe(404);
});

test('the desk has the HTML for another page, whatever is in the headline', async ({ site, newsroom }) => {
  const slug = `quoted-${randomUUID().slice(0, 8)}`;
  const headline = `"Rain" & <wind>, it's said`;
  const content = { slug, headline, standfirst: '' };
  await call(newsroom.people.editor.client, 'create_coverage', { coverage_id: randomUUID(), content });
  const desk = await signInJar(site.url, newsroom.people.editor);
  const html = await (await desk.get(`/desk/${slug}/settings`)).text();
  const snippet = /<textarea id="snippet"[^>]*>([^<]*)<\/textarea>/.exec(html)?.[1] ?? '';
  expect(snippet).toContain('&amp;quot;Rain&amp;quot; &amp;amp; &amp;lt;wind');
  expect(html).toContain(words.notYet);
  expect(html).toContain(words.askOwner);
});
