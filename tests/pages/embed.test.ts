import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { embed as words } from '../../src/lib/i18n/en/publishing.ts';
import { reader } from '../../src/lib/i18n/en/reader.ts';
import { RELOAD, seenField, signInWithCookies } from '../support/http-client.ts';
import { call, type Newsroom, publishUrgent } from '../support/newsroom.ts';
import type { TestSite } from '../support/site.ts';
import { test as base } from '../support/test.ts';

const test = base.extend('ownSite', true);

const embedOf = ({ coverage }: Newsroom) => `/live/${coverage.slug}/embed`;
const frameAncestors = (answer: Response) =>
  /frame-ancestors ([^;]*)/.exec(answer.headers.get('content-security-policy') ?? '')?.[1];

const setFrames = ({ people }: Newsroom, frames: string[]) =>
  call(people.owner.client, 'save_site', { content: { embed_origins: frames } });

/** Requests the oEmbed response for an address. */
const oembed = (site: TestSite, url: string, more: Record<string, string> = {}) =>
  fetch(`${site.url}/oembed?${new URLSearchParams({ url, ...more })}`, {
    redirect: 'manual',
    headers: RELOAD,
  });

/** Creates an empty coverage and takes it through the given states. */
async function createCoverage({ people }: Newsroom, states: string[], content: object = {}) {
  const [coverage_id, slug] = [randomUUID(), `other-${randomUUID().slice(0, 8)}`];
  const editor = people.editor.client;
  await call(editor, 'create_coverage', { coverage_id, content: { slug, headline: 'Another', ...content } });
  for (const state of states) await call(editor, 'set_coverage_state', { coverage_id, state });
  return { coverage_id, slug };
}

test('shows the newest updates without the site around them, and is the only page that may be framed', async ({
  site,
  newsroom,
}) => {
  for (let n = 1; n <= 12; n++) await newsroom.publish({ headline: `Headline ${n} <i>` });
  const answer = await fetch(site.url + embedOf(newsroom), { headers: RELOAD });
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
  const headers = answer.headers;
  expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  expect(headers.get('cross-origin-embedder-policy')).toBe('require-corp');
  expect(headers.get('cache-tag')).toBe(`site,coverage:${newsroom.coverage.id}`);
  expect(headers.get('set-cookie')).toBeNull();
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

test('shows the newest urgent update in the frame until it is withdrawn', async ({ site, newsroom }) => {
  const banner = async () => {
    const html = await (await fetch(site.url + embedOf(newsroom), { headers: RELOAD })).text();
    return /<section id="urgent"[\s\S]*?<\/section>/.exec(html)?.[0] ?? '';
  };
  await newsroom.publish();
  expect(await banner()).toMatch(/^<section[^>]* hidden/);
  const { id, number } = await publishUrgent(newsroom, 'Leave Quay Street now.');
  await expect.poll(banner).toContain('<p>Leave Quay Street now.</p>');
  expect(await banner()).toContain(`href="/live/${newsroom.coverage.slug}#update-${number}"`);
  const withdrawal = { update_id: id, reason: 'Not true.' };
  await call(newsroom.people.editor.client, 'withdraw_update', withdrawal);
  await expect.poll(banner).toMatch(/^<section[^>]* hidden/);
});

test('explains in its frame that a coverage has not begun, ended, moved or was withdrawn', async ({
  site,
  newsroom,
}) => {
  const { people, coverage } = newsroom;
  const get = (path: string) => fetch(site.url + path, { redirect: 'manual', headers: RELOAD });
  const frame = async (slug: string) => {
    const answer = await get(`/live/${slug}/embed`);
    return { status: answer.status, ancestors: frameAncestors(answer), html: await answer.text() };
  };
  const scheduled = await createCoverage(newsroom, ['scheduled'], { starts_at: '2999-01-01T10:00:00Z' });
  expect(await frame(scheduled.slug)).toMatchObject({
    status: 200,
    html: expect.stringContaining(words.waiting),
  });
  const draft = await createCoverage(newsroom, []);
  const missing = {
    status: 404,
    ancestors: '*',
    html: expect.stringContaining(reader.errors.not_found.title),
  };
  for (const slug of [draft.slug, 'never-was', 'No_Slug'])
    expect(await frame(slug), slug).toMatchObject(missing);

  await newsroom.publish({ headline: 'The last word' });
  const over = await createCoverage(newsroom, ['live', 'ended']);
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
  expect(await (await oembed(site, `${site.url}/live/${coverage.slug}`)).json()).toMatchObject({
    html: expect.stringContaining(`/live/${slug}/embed`),
  });

  await call(site.service, 'set_coverage_state', { coverage_id: coverage.id, state: 'withdrawn' });
  const gone = { status: 410, ancestors: '*', html: expect.stringContaining(reader.errors.gone.title) };
  await expect.poll(() => frame(slug)).toMatchObject(gone);
  expect((await frame(slug)).html).not.toContain('The last word');
  expect((await oembed(site, `${site.url}/live/${slug}`)).status).toBe(410);
});

test('applies the setting of allowed sites to every cached copy at once', async ({ site, newsroom }) => {
  const { owner } = newsroom.people;
  const desk = await signInWithCookies(site.url, owner);
  const save = async (frames: string, frame_sites = '') => {
    const seen = seenField(await (await desk.get('/desk/site/embeds')).text());
    return desk.post('/desk/site/embeds', { frames, frame_sites, seen });
  };
  const ancestors = async () =>
    frameAncestors(await fetch(site.url + embedOf(newsroom), { headers: RELOAD }));
  const allowed = await (await oembed(site, `${site.url}${embedOf(newsroom)}`)).json();
  expect([await ancestors(), allowed.type]).toEqual(['*', 'rich']);

  expect(
    (await save('sites', 'Example.org\nhttps://*.example.net/a/page\nhttp://localhost:8080')).status,
  ).toBe(303);
  await expect.poll(ancestors).toBe('https://example.org https://*.example.net http://localhost:8080');
  const form = await (await desk.get('/desk/site/embeds')).text();
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
  const link = await (await oembed(site, `${site.url}${embedOf(newsroom)}`)).json();
  expect(link).toMatchObject({ type: 'link', title: 'The river rises at Harrow Bridge' });
  expect(link).not.toHaveProperty('html');
  const settings = await signInWithCookies(site.url, newsroom.people.editor);
  expect(await (await settings.get(`/desk/${newsroom.coverage.slug}/settings`)).text()).toContain(
    words.noSiteAllowed,
  );
  await setFrames(newsroom, ['*']);
  await expect.poll(ancestors).toBe('*');
});

test('describes a coverage over oEmbed for each of its addresses, in the requested size', async ({
  site,
  newsroom,
}) => {
  await newsroom.publish();
  const live = `${site.url}/live/${newsroom.coverage.slug}`;
  const answer = await oembed(site, live, { format: 'json' });
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  const description = await answer.json();
  expect(description).toMatchObject({
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
  // WordPress loads its script for the frame only if a quote is at the beginning.
  const beginning =
    `<blockquote hidden><a href="${live}">The river rises at Harrow Bridge</a></blockquote>\n` +
    `<iframe src="${live}/embed" title="The river rises at Harrow Bridge"`;
  expect(description.html.slice(0, beginning.length)).toBe(beginning);
  for (const url of [
    `${live}?before=11#update-3`,
    `${live}/1`,
    `${live}/embed`,
    live.replace('http:', 'https:'),
  ])
    expect(await (await oembed(site, url)).json(), url).toEqual(description);

  const small = await (await oembed(site, live, { maxwidth: '450', maxheight: '450' })).json();
  expect(small).toMatchObject({ type: 'rich', width: 400, height: 400 });
  expect(small).not.toHaveProperty('thumbnail_url');
  expect(small.html).toContain('width="400" height="400"');
  expect((await oembed(site, live, { maxwidth: '99' })).status).toBe(404);
  expect(await (await oembed(site, live, { maxwidth: 'x', maxheight: '-1' })).json()).toEqual(description);
  expect((await oembed(site, live, { format: 'xml' })).status).toBe(501);

  for (const path of [`/live/${newsroom.coverage.slug}`, `/live/${newsroom.coverage.slug}/1`]) {
    const html = await (await fetch(site.url + path)).text();
    const link = /<link rel="alternate" type="application\/json\+oembed" href="([^"]*)">/.exec(html)?.[1];
    const linked = await fetch((link ?? '').replaceAll('&amp;', '&'));
    expect(await linked.json(), path).toEqual(description);
  }
});

test('answers 404 over oEmbed for every other address', async ({ site, newsroom }) => {
  const { host } = new URL(site.url);
  const { slug } = newsroom.coverage;
  const draft = await createCoverage(newsroom, []);
  const addresses = [
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
  for (const url of addresses) {
    const answer = await oembed(site, url);
    expect([answer.status, answer.headers.get('location')], url).toEqual([404, null]);
    expect(await answer.text(), url).not.toMatch(/iframe|harrow/i);
  }
  // Made-up addresses must not fill the cache.
  const other = await oembed(site, `https://example.org/live/${slug}`);
  expect(other.headers.get('cache-control')).toContain('no-store');
  const twice = await fetch(`${site.url}/oembed?url=x&url=${encodeURIComponent(`${site.url}/live/${slug}`)}`);
  expect(twice.status).toBe(404);
});

test('offers the HTML at the desk with the headline escaped', async ({ site, newsroom }) => {
  const slug = `quoted-${randomUUID().slice(0, 8)}`;
  const headline = `"Rain" & <wind>, it's said`;
  const content = { slug, headline, standfirst: '' };
  await call(newsroom.people.editor.client, 'create_coverage', { coverage_id: randomUUID(), content });
  const desk = await signInWithCookies(site.url, newsroom.people.editor);
  const html = await (await desk.get(`/desk/${slug}/settings`)).text();
  const snippet = /<textarea id="snippet"[^>]*>([^<]*)<\/textarea>/.exec(html)?.[1] ?? '';
  expect(snippet).toContain('&amp;quot;Rain&amp;quot; &amp;amp; &amp;lt;wind');
  expect(html).toContain(words.notYet);
  expect(html).toContain(words.askOwner);
});
