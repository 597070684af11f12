import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { states } from '../../src/lib/i18n/en/live-feed.ts';
import { embed } from '../../src/lib/i18n/en/publishing.ts';
import { reader } from '../../src/lib/i18n/en/reader.ts';
import { RELOAD } from '../support/http-client.ts';
import { call, type Newsroom, paragraph, publishUrgent } from '../support/newsroom.ts';
import { addPhoto } from '../support/photos.ts';
import type { TestSite } from '../support/site.ts';
import { dataOf, mistakesIn } from '../support/structured-data.ts';
import { test } from '../support/test.ts';

const pathOf = ({ coverage }: Newsroom, query = '') => `/live/${coverage.slug}/part${query}`;

const ask = (site: TestSite, path: string, headers: Record<string, string> = {}) =>
  fetch(site.url + path, { redirect: 'manual', headers: { ...RELOAD, ...headers } });

/** The parts of a fragment. */
async function read(response: Response) {
  const html = await response.text();
  const [, styles = '', content = '', data = ''] =
    /^<style>([^<]*)<\/style>(<div class="stoppress"[\s\S]*<\/div>)(<script type="application\/ld\+json">[^<]*<\/script>)?$/.exec(
      html,
    ) ?? [];
  return {
    html,
    styles,
    content,
    data,
    numbers: [...content.matchAll(/<article class="stoppress-update" data-number="(\d+)"/g)].map(
      ([, number]) => Number(number),
    ),
    headings: [...content.matchAll(/<h(\d)/g)].map(([, level]) => Number(level)),
    links: [...content.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, address = '']) => address),
  };
}

const get = async (site: TestSite, newsroom: Newsroom, query = '') =>
  read(await ask(site, pathOf(newsroom, query)));

test('refuses invalid parameters with a code and the name of the parameter', async ({ site, newsroom }) => {
  for (const [query, field] of [
    ['layout=none', 'layout'],
    ['layout=', 'layout'],
    ['layout=FULL', 'layout'],
    ['layout=__proto__', 'layout'],
    ['updates=0', 'updates'],
    ['updates=51', 'updates'],
    ['updates=-1', 'updates'],
    ['updates=1e1', 'updates'],
    ['updates=', 'updates'],
    ['updates=100000000000000000000', 'updates'],
    ['layout=strip&updates=x', 'updates'],
    ['heading=1', 'heading'],
    ['heading=5', 'heading'],
    ['heading=h2', 'heading'],
  ]) {
    const answer = await ask(site, pathOf(newsroom, `?${query}`));
    expect(answer.status, query).toBe(400);
    expect(answer.headers.get('content-type'), query).toMatch(/^application\/json/);
    expect(answer.headers.get('cache-control'), query).toContain('no-store');
    expect(answer.headers.get('access-control-allow-origin'), query).toBe('*');
    expect(await answer.json(), query).toMatchObject({ error: { code: 'invalid', field } });
  }
});

test('answers for a draft, a missing, renamed or withdrawn coverage as its live page does', async ({
  site,
  newsroom,
}) => {
  const { coverage, people } = newsroom;
  const editor = people.editor.client;
  await newsroom.publish({ headline: 'The last word' });
  const draft = `draft-${randomUUID().slice(0, 8)}`;
  const content = { slug: draft, headline: 'Not yet', standfirst: '' };
  await call(editor, 'create_coverage', { coverage_id: randomUUID(), content });
  for (const slug of [draft, 'never-was', 'No_Slug']) {
    const answer = await ask(site, `/live/${slug}/part`);
    expect(answer.status, slug).toBe(404);
    expect(answer.headers.get('stoppress-status'), slug).toBe('not_found');
    expect(answer.headers.get('content-type'), slug).toMatch(/^text\/plain/);
    expect(answer.headers.get('access-control-allow-origin'), slug).toBe('*');
    expect(answer.headers.get('stoppress-seq'), slug).toBeNull();
    expect(await answer.text(), slug).not.toContain('Not yet');
  }

  const slug = `${coverage.slug}-moved`;
  const { data } = await editor.from('coverages').select('version').eq('id', coverage.id).single();
  const renaming = { coverage_id: coverage.id, version: data?.version, content: { slug } };
  await call(editor, 'save_coverage', renaming);
  await expect.poll(async () => (await ask(site, `/live/${slug}/part`)).status).toBe(200);
  const moved = await ask(site, pathOf(newsroom, '?heading=3&updates=10&utm_source=x'));
  expect([moved.status, moved.headers.get('location')]).toEqual([301, `/live/${slug}/part?heading=3`]);
  expect(moved.headers.get('access-control-allow-origin')).toBe('*');

  await call(site.service, 'set_coverage_state', { coverage_id: coverage.id, state: 'withdrawn' });
  await expect.poll(async () => (await ask(site, `/live/${slug}/part`)).status).toBe(410);
  const withdrawn = await ask(site, `/live/${slug}/part`);
  expect(withdrawn.headers.get('stoppress-status')).toBe('withdrawn');
  expect(await (await ask(site, `/live/${slug}/part`)).text()).not.toContain('The last word');
});

test('escapes hostile texts in content, attributes and structured data', async ({ site, newsroom }) => {
  const { coverage, people } = newsroom;
  const hostile = `"'></style></script><script>alert(1)</script><img src=x onerror=alert(2)>`;
  await call(people.editor.client, 'save_coverage', {
    coverage_id: coverage.id,
    version: 1,
    content: { headline: hostile.slice(0, 110), standfirst: hostile, kicker: '<b>' },
  });
  await newsroom.setSummary([paragraph(hostile)]);
  await newsroom.publish({
    headline: hostile.slice(0, 110),
    body: [paragraph(hostile), { type: 'quote', text: hostile, attribution: '</div>' }],
    key_event: true,
    attribution: '</article>',
    dateline: '<i>',
  });
  await publishUrgent(newsroom, hostile);
  for (const query of ['', '?layout=summary', '?layout=newest', '?layout=strip']) {
    const { html, content, data } = await get(site, newsroom, query);
    expect(content, query).not.toBe('');
    expect(html.match(/<script/g) ?? [], query).toHaveLength(data ? 1 : 0);
    expect(html.match(/<style/g), query).toHaveLength(1);
    expect(content, query).not.toMatch(/<img|<i>|onerror=alert\(2\)>/);
    expect(content, query).toContain('&lt;script&gt;alert(1)');
  }
  const [text = ''] = dataOf((await get(site, newsroom)).html);
  expect(JSON.parse(text)['@graph'][0]).toMatchObject({ description: hostile });
});

test('leaves type and colours to the page around it', async ({ site, newsroom }) => {
  await newsroom.publish();
  const { styles } = await get(site, newsroom);
  for (const property of ['accent', 'muted', 'rule', 'gap']) {
    expect(styles).toContain(`var(--stoppress-${property},`);
    // Its own value would replace that of the page.
    expect(styles).not.toMatch(new RegExp(`[;{]--stoppress-${property}:`));
  }
  expect(styles).not.toMatch(/font-family|background|@/);
});

test('shows the summary and the newest updates in full, with headings of the requested level', async ({
  site,
  newsroom,
}) => {
  const { block, id } = await addPhoto(site, newsroom);
  await newsroom.setSummary([paragraph('The bridge is shut.')]);
  const first = await newsroom.publish({ headline: 'A mistake' });
  for (let n = 2; n <= 12; n++) await newsroom.publish({ headline: `Headline ${n}` });
  await newsroom.publish({ headline: 'With a photo', body: [paragraph('High water.'), block] });
  await newsroom.withdraw(first, 'It was about another river.');

  const whole = await get(site, newsroom);
  expect(whole.numbers).toEqual([13, 12, 11, 10, 9, 8, 7, 6, 5, 4]);
  expect(whole.content).toContain('The bridge is shut.');
  expect(whole.content).toContain(reader.summary);
  expect(whole.content).toContain(`>${states.live}</b>`);
  expect(whole.content).toContain(embed.all('Stoppress'));
  expect(whole.headings.slice(0, 2)).toEqual([2, 3]);
  const live = `${site.url}/live/${newsroom.coverage.slug}`;
  expect(whole.links).toContain(live);
  expect(whole.links).toContain(`${live}/13`);
  for (const link of whole.links) expect(link).toMatch(/^https?:\/\//);
  const image = /<img[^>]*>/.exec(whole.content)?.[0] ?? '';
  expect(image).toContain(`src="${site.url}/photos/${id}/960"`);
  expect(image).toMatch(/ width="\d+" height="\d+"/);
  expect(image).toContain('loading="lazy"');

  const few = await get(site, newsroom, '?updates=2&heading=4');
  expect(few.numbers).toEqual([13, 12]);
  expect(new Set(few.headings)).toEqual(new Set([4, 5]));
  const all = await get(site, newsroom, '?updates=50');
  expect(all.numbers).toHaveLength(13);
  expect(all.content).toContain('It was about another river.');
  expect(all.content).not.toContain('A mistake');

  const texts = dataOf(whole.html);
  expect(texts).toHaveLength(1);
  expect(await mistakesIn(texts[0] ?? '')).toEqual([]);
  expect(JSON.parse(texts[0] ?? '')['@graph'][0]).toMatchObject({ '@type': 'LiveBlogPosting', url: live });
});

test('shows the summary with key events, the newest lines, or one line', async ({ site, newsroom }) => {
  const { coverage } = newsroom;
  const live = `${site.url}/live/${coverage.slug}`;
  const strip = async () => (await get(site, newsroom, '?layout=strip')).content;
  expect(await strip()).toContain(`<a href="${live}">The river rises at Harrow Bridge</a>`);
  expect((await get(site, newsroom)).content).toContain(reader.noUpdates);

  await newsroom.setSummary([paragraph('The bridge is shut.')]);
  await newsroom.publish({ headline: 'The key', key_event: true });
  for (const headline of ['Second', 'Third', 'Fourth']) await newsroom.publish({ headline });

  const summary = await get(site, newsroom, '?layout=summary&heading=3');
  expect(summary.content).toContain('The bridge is shut.');
  expect(summary.content).toContain(`<a href="${live}#update-1">The key</a>`);
  expect(summary.content).not.toContain('Fourth');
  expect(summary.headings).toEqual([3, 4, 4]);

  const newest = await get(site, newsroom, '?layout=newest');
  expect(newest.links.slice(1, 4)).toEqual([4, 3, 2].map((number) => `${live}#update-${number}`));
  expect(newest.content).not.toContain('The bridge is shut.');
  expect(newest.headings).toEqual([2]);

  expect(await strip()).toContain(`<a href="${live}#update-4">Fourth</a>`);
  await publishUrgent(newsroom, 'Leave Quay Street now.');
  await newsroom.publish({ headline: 'Sixth' });
  await expect.poll(strip).toContain('Leave Quay Street now.');
  expect(await strip()).toContain(`>${reader.urgency.urgent}</b>`);
  expect(await strip()).not.toContain('Sixth');
  expect((await get(site, newsroom, '?layout=strip')).headings).toEqual([]);
  for (const query of ['', '?layout=summary', '?layout=newest'])
    expect((await get(site, newsroom, query)).content, query).toContain('Leave Quay Street now.');
  for (const query of ['?layout=summary', '?layout=newest', '?layout=strip'])
    expect((await get(site, newsroom, query)).data, query).toBe('');

  await newsroom.setState('ended');
  await expect.poll(strip).toContain(`>${states.ended}</b>`);
  expect(await strip()).toContain('Sixth');
});

test('names status, seq and canonical address, and answers 304 until something changes', async ({
  site,
  newsroom,
}) => {
  const { coverage, people } = newsroom;
  const update = await newsroom.publish();
  await expect
    .poll(async () => (await ask(site, pathOf(newsroom))).headers.get('stoppress-seq'))
    .toBe(`${update.seq}`);
  const { headers } = await ask(site, pathOf(newsroom));
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(headers.get('stoppress-status')).toBe('live');
  expect(headers.get('link')).toBe(`<${site.url}/live/${coverage.slug}>; rel="canonical"`);
  expect(headers.get('cache-tag')).toBe(`site,coverage:${coverage.id}`);
  expect(headers.get('cache-control')).toMatch(/^max-age=0, s-maxage=10\b/);
  expect(headers.get('cdn-cache-control')).toMatch(/^max-age=10, stale-while-revalidate=20\b/);
  expect(headers.get('set-cookie')).toBeNull();
  const etag = headers.get('etag') ?? '';
  const again = () => ask(site, pathOf(newsroom), { 'If-None-Match': etag });
  const unchanged = await again();
  expect([unchanged.status, await unchanged.text()]).toEqual([304, '']);
  await newsroom.publish();
  await expect.poll(async () => (await again()).status).toBe(200);

  await newsroom.setState('paused');
  await newsroom.setState('ended');
  await expect.poll(async () => (await again()).headers.get('stoppress-status')).toBe('ended');
  const scheduled = `coming-${randomUUID().slice(0, 8)}`;
  const content = { slug: scheduled, headline: 'Coming', starts_at: '2999-01-01T10:00:00Z' };
  const coverage_id = randomUUID();
  await call(people.editor.client, 'create_coverage', { coverage_id, content });
  await call(people.editor.client, 'set_coverage_state', { coverage_id, state: 'scheduled' });
  const coming = () => ask(site, `/live/${scheduled}/part`);
  await expect.poll(async () => (await coming()).headers.get('stoppress-status')).toBe('scheduled');
  expect((await read(await coming())).content).toContain('2999');
});

test('lists the public coverages for other programs, newest first', async ({ site, newsroom, people }) => {
  type Listed = { slug: string; title: string; url: string; status: string; updated_at: string | null };
  const list = async () => {
    const answer = await ask(site, '/api/coverages.json');
    return ((await answer.json()) as { coverages: Listed[] }).coverages;
  };
  const { slug, id } = newsroom.coverage;
  const draft = `draft-${randomUUID().slice(0, 8)}`;
  const content = { slug: draft, headline: 'Not yet', standfirst: '' };
  await call(people.editor.client, 'create_coverage', { coverage_id: randomUUID(), content });
  await newsroom.publish({ key_event: true });
  const { data } = await site.service.from('coverages').select('last_published_at').eq('id', id).single();
  const time = Date.parse(data?.last_published_at ?? '');
  const listed = async () => (await list()).find((one) => one.slug === slug);
  await expect.poll(async () => Date.parse((await listed())?.updated_at ?? '')).toBe(time);
  expect(await listed()).toEqual({
    slug,
    title: 'The river rises at Harrow Bridge',
    url: `${site.url}/live/${slug}`,
    status: 'live',
    updated_at: expect.any(String),
  });
  const all = await list();
  expect(all.length).toBeLessThanOrEqual(100);
  expect(all.map((one) => one.slug)).not.toContain(draft);
  await newsroom.setState('withdrawn');
  await expect.poll(async () => (await list()).some((one) => one.slug === slug)).toBe(false);

  const { headers } = await ask(site, '/api/coverages.json');
  expect(headers.get('cache-tag')).toBe('site,lists');
  expect(headers.get('set-cookie')).toBeNull();
  expect(headers.get('x-robots-tag')).toBeNull();
  const etag = headers.get('etag') ?? '';
  expect((await ask(site, '/api/coverages.json', { 'If-None-Match': etag })).status).toBe(304);
});
