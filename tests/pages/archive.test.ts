import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { reader as readerMessages } from '../../src/lib/i18n/en/reader.ts';
import { RELOAD } from '../support/http-client.ts';
import { call, callServer, createLiveCoverage, type People, paragraph } from '../support/newsroom.ts';
import type { TestSite } from '../support/site.ts';
import { test as base } from '../support/test.ts';

const ask = (site: TestSite, path: string) => fetch(site.url + path, { redirect: 'manual', headers: RELOAD });

async function read(site: TestSite, path: string) {
  const answer = await ask(site, path);
  const html = await answer.text();
  return {
    status: answer.status,
    location: answer.headers.get('location'),
    tag: answer.headers.get('cache-tag'),
    html,
    /** Without the style sheet and the footer. */
    main: /<main[\s\S]*<\/main>/.exec(html)?.[0] ?? '',
    title: /<title>([^<]*)</.exec(html)?.[1],
    canonical: /rel="canonical" href="([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&'),
    link: (rel: string) =>
      new RegExp(`<a href="([^"]*)" rel="${rel}"`).exec(html)?.[1]?.replaceAll('&amp;', '&'),
  };
}

const coverageSlugs = (main: string) =>
  [...main.matchAll(/<h[23][^>]*><a href="\/live\/([^"]+)"/g)].map(([, slug]) => slug);

type Past = {
  site: TestSite;
  people: People;
  at: string;
  state?: string;
  content?: object;
  topic?: string;
};

/** Creates a coverage without updates that began in the past. */
async function createPastCoverage({
  site,
  people,
  at,
  state = 'ended',
  content = {},
  topic,
}: Past): Promise<{ id: string; slug: string }> {
  const { client } = people.editor;
  const [id, slug] = [randomUUID(), `past-${randomUUID().slice(0, 8)}`];
  const words = { slug, headline: `Of ${at}`, topics: topic ? [topic] : [], ...content };
  await call(client, 'create_coverage', { coverage_id: id, content: words });
  await callServer(site.service, 'import_state', { coverage_id: id, state: 'live', at });
  if (state !== 'live') await callServer(site.service, 'import_state', { coverage_id: id, state, at });
  return { id, slug };
}

/** 61 coverages of one topic: 19 begin at the same moment of 2014, 42 in March 2019, two a day. */
const test = base.extend('past', { scope: 'file' }, async ({ site, people }) => {
  const topic = `topic-${randomUUID().slice(0, 8)}`;
  await call(people.editor.client, 'save_topic', { slug: topic, name: 'Floods', description: '' });
  const times = Array.from({ length: 61 }, (_, n) =>
    new Date(
      n < 19 ? Date.UTC(2014, 4, 5) : Date.UTC(2019, 2, 1 + Math.floor((n - 19) / 2), 0, n),
    ).toISOString(),
  );
  const slugs: string[] = [];
  for (const at of times) slugs.push((await createPastCoverage({ site, people, at, topic })).slug);
  return { topic, slugs, marchSlugs: slugs.slice(19) };
});

test('lists the coverages that began in a month, in order, forty per page', async ({
  site,
  people,
  past,
}) => {
  const draft = {
    coverage_id: randomUUID(),
    content: { slug: `draft-${randomUUID().slice(0, 8)}`, headline: 'A draft' },
  };
  await call(people.editor.client, 'create_coverage', draft);

  const years = await read(site, '/archive');
  expect(years.main).toContain('<section id="year-2019"');
  expect(years.main).toMatch(/href="\/archive\/2019\/03"[\s\S]{0,80}March[\s\S]{0,80}42 coverages/);
  expect(years.main).not.toContain('/archive/2019/02');

  const first = await read(site, '/archive/2019/03');
  expect(first.title).toContain('March 2019');
  expect(first.canonical).toBe(`${site.url}/archive/2019/03`);
  expect(first.link('next')).toBe('/archive/2019/03?page=2');
  expect(first.html).toContain('<link rel="next" href="/archive/2019/03?page=2">');
  const second = await read(site, '/archive/2019/03?page=2');
  expect(second.canonical).toBe(`${site.url}/archive/2019/03?page=2`);
  expect(second.title).not.toBe(first.title);
  expect(second.link('prev')).toBe('/archive/2019/03');
  expect(second.link('next')).toBeUndefined();
  expect([...coverageSlugs(first.main), ...coverageSlugs(second.main)]).toEqual(past.marchSlugs);
});

test.for([
  ['/archive/2019', 301, '/archive#year-2019'],
  ['/archive/2019/3', 301, '/archive/2019/03'],
  ['/archive/2019/3?page=2', 301, '/archive/2019/03?page=2'],
  ['/archive/2019/03?page=3', 404, null],
  ['/archive/2019/04', 404, null],
  ['/archive/2019/00', 404, null],
  ['/archive/2019/13', 404, null],
  ['/archive/1999', 404, null],
  ['/archive/x', 404, null],
  ['/topics/nothing-of-it?before=2026', 404, null],
] as const)('answers %s with %i', async ([path, status, location], { site }) => {
  const answer = await read(site, path);
  expect(answer).toMatchObject({ status, location });
  if (status === 404) expect(answer.main).toContain(readerMessages.errors.not_found.title);
});

test('counts months in the zone of the site and links to the nearest months with coverage', async ({
  site,
  people,
  past,
}) => {
  // 30 April in UTC, but already 1 May in Dublin, the zone of its page.
  const content = { kicker: 'Floods', standfirst: 'High water.', time_zone: 'Europe/Dublin' };
  const { id, slug } = await createPastCoverage({
    site,
    people,
    at: '2018-04-30T23:30:00Z',
    state: 'live',
    content,
  });
  const item = { id: randomUUID(), published_at: '2018-05-02T10:00:00Z' };
  const event = {
    ...item,
    content: { body: [paragraph('It fell.')], headline: 'The bridge fell', key_event: true },
  };
  await callServer(site.service, 'import_updates', { coverage_id: id, items: [event] });
  await createPastCoverage({ site, people, at: '2017-12-01T10:00:00Z' });
  const { main } = await read(site, '/archive/2018/04');
  expect(main).toMatch(
    />Mon 30<[\s\S]*>Floods<[\s\S]*>Of 2018[\s\S]*>High water\.<[\s\S]*>Live<[\s\S]*>1 update</,
  );
  expect(main).toContain(`<a href="/live/${slug}/1">The bridge fell</a>`);
  // Of the fixture's coverages, those of March 2019 are the nearest.
  expect(past.marchSlugs).toHaveLength(42);
  expect(main).toMatch(
    /<a href="\/archive\/2017\/12">December 2017<[\s\S]*<a href="\/archive\/2019\/03">March 2019</,
  );
  expect((await read(site, '/archive/2018/05')).status).toBe(404);

  const setZone = (time_zone: string) => call(people.owner.client, 'save_site', { content: { time_zone } });
  await setZone('Europe/Dublin');
  await expect.poll(async () => (await read(site, '/archive/2018/05')).status).toBe(200);
  const may = await read(site, '/archive/2018/05');
  expect(may.title).toContain('May 2018');
  expect(may.main).toContain('>Tue 1<');
  expect((await read(site, '/archive/2018/04')).status).toBe(404);
  // The month's name is not that of the day before, which it is in UTC.
  await setZone('Asia/Tokyo');
  await expect.poll(async () => (await read(site, '/archive/2017/12')).title).toContain('December 2017');
  await setZone('UTC');
  await expect.poll(async () => (await read(site, '/archive/2018/04')).status).toBe(200);
});

test('updates cached pages when a coverage begins, is renamed or is withdrawn', async ({ site, people }) => {
  const { client } = people.editor;
  const month = '/archive/2016/06';
  expect((await read(site, month)).status).toBe(404);
  const { id, slug } = await createPastCoverage({ site, people, at: '2016-06-05T10:00:00Z' });
  await expect.poll(async () => coverageSlugs((await read(site, month)).main)).toEqual([slug]);
  expect((await read(site, '/archive')).main).toContain(month);
  expect((await read(site, `/live/${slug}/timeline`)).status).toBe(200);

  const renamed = `${slug}-renamed`;
  await call(client, 'save_coverage', { coverage_id: id, version: 1, content: { slug: renamed } });
  await expect.poll(async () => coverageSlugs((await read(site, month)).main)).toEqual([renamed]);
  const moved = await read(site, `/live/${slug}/timeline`);
  expect(moved).toMatchObject({ status: 301, location: `/live/${renamed}/timeline` });

  await call(client, 'set_coverage_state', { coverage_id: id, state: 'withdrawn' });
  await expect.poll(async () => (await read(site, month)).status).toBe(404);
  expect((await read(site, '/archive')).main).not.toContain(month);
  expect((await read(site, `/live/${renamed}/timeline`)).status).toBe(410);
});

/** Collects entries from a page and from all older pages that it links to. */
async function walk(site: TestSite, start: string, linesOf: (main: string) => (string | undefined)[]) {
  const entries: (string | undefined)[] = [];
  const paths: string[] = [];
  for (let path: string | undefined = start; path; ) {
    const page = await read(site, path);
    expect(page.status).toBe(200);
    expect(page.canonical).toBe(site.url + path);
    entries.push(...linesOf(page.main));
    paths.push(path);
    path = page.link('next');
  }
  return { entries, paths };
}

test('lists every coverage of a topic over several pages, whose contents stay', async ({
  site,
  people,
  past,
}) => {
  const { topic, slugs } = past;
  const running = await createPastCoverage({
    site,
    people,
    at: '2013-01-01T00:00:00Z',
    state: 'live',
    topic,
  });
  const { entries, paths } = await walk(site, `/topics/${topic}`, coverageSlugs);
  expect(new Set(entries)).toEqual(new Set([running.slug, ...slugs]));
  expect(entries).toHaveLength(62);
  // A live coverage comes first, whatever its beginning.
  expect(entries[0]).toBe(running.slug);
  expect(paths[1]).toMatch(/^\/topics\/[^?]+\?before=\d{4}(-\d\d)?$/);

  const second = coverageSlugs((await read(site, paths[1] ?? '')).main);
  await createPastCoverage({ site, people, at: '2020-01-01T00:00:00Z', topic });
  await expect
    .poll(async () => coverageSlugs((await read(site, `/topics/${topic}`)).main))
    .toHaveLength(entries.length - second.length + 1);
  expect(coverageSlugs((await read(site, paths[1] ?? '')).main)).toEqual(second);
  expect((await read(site, `/topics/${topic}?before=2001`)).status).toBe(404);
  expect((await read(site, `/topics/${topic}?before=2001-02-31`)).status).toBe(404);
});

test('lists every update of a person over several pages', async ({ site, people }) => {
  const { coverage } = await createLiveCoverage(people);
  const { id, handle } = people.contributor;
  const at = Date.UTC(2020, 4, 5, 12);
  const items = Array.from({ length: 150 }, (_, n) => ({
    id: randomUUID(),
    // Seventy within one minute, 65 of them at the same moment.
    published_at: new Date(at + (n < 70 ? Math.floor(n / 65) * 1000 : n * 3_600_000)).toISOString(),
    content: { body: [paragraph(`Said ${n}.`)], bylines: [id] },
  }));
  await callServer(site.service, 'import_updates', { coverage_id: coverage.id, items });
  const { entries, paths } = await walk(site, `/people/${handle}`, (main) =>
    [...main.matchAll(/<a href="\/live\/[^"]+\/(\d+)">/g)].map(([, number]) => number),
  );
  expect(new Set(entries).size).toBe(150);
  expect(entries).toHaveLength(150);
  expect(paths.length).toBeGreaterThan(2);
  expect((await read(site, `/people/${handle}?before=2001`)).status).toBe(404);
});

test('finds people and topics whose names are words of SQL', async ({ site, people }) => {
  const { coverage } = await createLiveCoverage(people);
  for (const name of ['true', 'false', 'null']) {
    expect([
      (await read(site, `/people/${name}`)).status,
      (await read(site, `/topics/${name}`)).status,
    ]).toEqual([404, 404]);
  }
  const { data } = await site.service.auth.admin.createUser({
    email: `true-${randomUUID()}@example.com`,
    email_confirm: true,
    user_metadata: { display_name: 'True' },
  });
  await call(site.service, 'set_role', { person_id: data.user?.id, role: 'reporter' });
  const item = { id: randomUUID(), published_at: '2020-05-05T12:00:00Z' };
  const content = { body: [paragraph('Said by True.')], bylines: [data.user?.id] };
  await callServer(site.service, 'import_updates', {
    coverage_id: coverage.id,
    items: [{ ...item, content }],
  });
  await call(people.editor.client, 'save_topic', { slug: 'true', name: 'Truth', description: '' });
  const { slug } = await createPastCoverage({ site, people, at: '2012-06-05T10:00:00Z', topic: 'true' });
  await expect.poll(async () => (await read(site, '/people/true')).main).toContain('Said by True.');
  await expect.poll(async () => coverageSlugs((await read(site, '/topics/true')).main)).toEqual([slug]);
});

test('shows the days of a coverage in its time zone, with their key events', async ({ site, people }) => {
  const content = { time_zone: 'America/Chicago' };
  const { id, slug } = await createPastCoverage({
    site,
    people,
    at: '1969-07-16T13:00:00Z',
    state: 'live',
    content,
  });
  const moments: [string, boolean][] = [
    ['1969-07-16T13:32:00Z', true],
    // Still 16 July in Chicago.
    ['1969-07-17T04:59:59Z', false],
    ['1969-07-17T05:00:00Z', false],
    ['1969-07-18T12:00:00Z', false],
    ['1969-07-18T12:10:00Z', false],
    ...Array.from({ length: 15 }, (_, n): [string, boolean] => [`1969-07-20T12:${10 + n}:00Z`, n === 14]),
  ];
  const items = moments.map(([published_at, key_event], n) => ({
    id: randomUUID(),
    published_at,
    content: { body: [paragraph('Roger.')], headline: `Event ${n + 1}`, key_event },
  }));
  await callServer(site.service, 'import_updates', { coverage_id: id, items });
  await call(people.editor.client, 'withdraw_update', {
    update_id: items[4]?.id,
    reason: 'Not said.',
  });
  const live = await read(site, `/live/${slug}`);
  expect(live.main).not.toContain(`/live/${slug}/timeline`);
  const { main, status } = await read(site, `/live/${slug}/timeline`);
  expect(status).toBe(200);
  const text = main.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  expect(text).toMatch(/16 ?[–-] ?20 July 1969/);
  expect(text).toContain('4 days');
  expect(text).toContain('19 updates');
  expect(text).toMatch(/Wednesday,? 16 July 1969 2 updates 08:32 – ?23:59 08:32 Event 1/);
  expect(text).toMatch(/17 ?[–-] ?18 July 1969 2 updates 2 days/);
  expect(text).toMatch(/Sunday,? 20 July 1969 15 updates 07:10 – ?07:24 07:24 Event 20/);
  // Pages of the list that contain the first update of each group.
  expect(main).toMatch(new RegExp(`href="/live/${slug}\\?before=11#update-6"`));
  expect(main).toMatch(new RegExp(`href="/live/${slug}\\?before=11#update-1"`));
  expect(main).toContain(`<a href="/live/${slug}/20">Event 20</a>`);

  await call(people.editor.client, 'set_coverage_state', { coverage_id: id, state: 'ended' });
  await expect
    .poll(async () => (await read(site, `/live/${slug}`)).main.split(`/live/${slug}/timeline`).length)
    .toBe(3);
});

test('shows no timeline of a draft or of a scheduled coverage', async ({ site, people }) => {
  const { client } = people.editor;
  const [coverage_id, slug] = [randomUUID(), `later-${randomUUID().slice(0, 8)}`];
  const content = { slug, headline: 'Later', starts_at: '2040-01-01T10:00:00Z' };
  await call(client, 'create_coverage', { coverage_id, content });
  expect((await read(site, `/live/${slug}/timeline`)).status).toBe(404);
  await call(client, 'set_coverage_state', { coverage_id, state: 'scheduled' });
  await expect
    .poll(() => read(site, `/live/${slug}/timeline`))
    .toMatchObject({ status: 302, location: `/live/${slug}` });
  const { data } = await site.service.rpc('coverage_days', { coverage_id });
  expect(data).toEqual([]);
});

test('links every page to the archive, and the front page a second time', async ({
  site,
  people,
  newsroom,
}) => {
  await createPastCoverage({ site, people, at: '2016-01-05T10:00:00Z' });
  await expect
    .poll(async () => (await read(site, '/')).main)
    .toContain('<a href="/archive">Older coverage</a>');
  for (const path of ['/about', '/archive', `/live/${newsroom.coverage.slug}`])
    expect((await read(site, path)).html).toMatch(/<footer[\s\S]*<a href="\/archive">Archive<\/a>/);
});
