import { randomUUID } from 'node:crypto';
import { expect, vi } from 'vitest';
import { readAtom, readByOtherParsers, readJsonFeed } from '../support/feeds.ts';
import { RELOAD } from '../support/http-client.ts';
import { call, type Newsroom, paragraph } from '../support/newsroom.ts';
import { addPhoto } from '../support/photos.ts';
import type { TestSite } from '../support/site.ts';
import { test as base } from '../support/test.ts';

// The site's feed lists the updates of all coverages.
const test = base.extend('ownSite', true);

const ask = (site: TestSite, path: string, headers: Record<string, string> = {}) =>
  fetch(path.startsWith('http') ? path : `${site.url}${path}`, {
    redirect: 'manual',
    headers: { ...RELOAD, ...headers },
  });
const get = async (site: TestSite, path: string) => {
  const answer = await ask(site, path);
  expect(answer.status, path).toBe(200);
  return answer.text();
};
const atomOf = async (site: TestSite, path: string) => readAtom(await get(site, path));
const jsonOf = async (site: TestSite, path: string) => {
  const { feed, errors } = readJsonFeed(await get(site, path));
  expect(errors, path).toEqual([]);
  return feed;
};

const live = ({ coverage }: Newsroom) => `/live/${coverage.slug}`;
const urn = (id: string) => `urn:uuid:${id}`;

/** Time for an invalidation to arrive on a busy machine. */
const INVALIDATION_MS = 5_000;

/** Gives the coverage a new topic. @returns the path of the topic */
async function withTopic({ people, coverage }: Newsroom): Promise<string> {
  const slug = `topic-${randomUUID().slice(0, 8)}`;
  await call(people.editor.client, 'save_topic', { slug, name: 'Floods & co', description: 'High water.' });
  const { data } = await people.editor.client
    .from('coverages')
    .select('version')
    .eq('id', coverage.id)
    .single();
  const content = { topics: [slug] };
  await call(people.editor.client, 'save_coverage', {
    coverage_id: coverage.id,
    version: data?.version,
    content,
  });
  return `/topics/${slug}`;
}

/** Publishes `count` updates, one a minute from a given time on. */
async function fill(
  site: TestSite,
  { coverage }: Newsroom,
  count: number,
  { from = Date.now() - 60_000 * count, headline }: { from?: number; headline?: string } = {},
) {
  const items = Array.from({ length: count }, (_, n) => ({
    id: randomUUID(),
    published_at: new Date(from + n * 60_000).toISOString(),
    content: { body: [paragraph(`Line ${n}.`)], ...(headline && { headline: `${headline} ${n}` }) },
  }));
  const { error } = await site.service.rpc('import_updates', { coverage_id: coverage.id, items });
  expect(error).toBeNull();
  return items.map(({ id }) => urn(id));
}

/** Reads a feed and its archive, newest document first. */
async function walkAtom(site: TestSite, path: string) {
  const documents: { path: string; text: string; read: ReturnType<typeof readAtom> }[] = [];
  for (let next: string | undefined = path; next; ) {
    const text = await get(site, next);
    const read = readAtom(text);
    documents.push({ path: next, text, read });
    next = read.link('prev-archive');
  }
  return documents;
}
async function walkJson(site: TestSite, path: string) {
  const documents: Awaited<ReturnType<typeof jsonOf>>[] = [];
  for (let next: string | undefined = path; next; next = documents.at(-1)?.next_url) {
    documents.push(await jsonOf(site, next));
  }
  return documents;
}

test('lists the same updates in both formats for site, coverage and topic, readable by other parsers', async ({
  site,
  newsroom,
}) => {
  const topic = await withTopic(newsroom);
  const { reporter } = newsroom.people;
  const photo = await addPhoto(site, newsroom);
  const first = await newsroom.publish({
    headline: 'The bridge is shut & stays so',
    key_event: true,
    body: [paragraph('Nobody crosses.'), photo.block],
  });
  const plain = await newsroom.publish();
  for (const base of [live(newsroom), topic, '']) {
    const path = `${base}/feed.atom`;
    const text = await get(site, path);
    const feed = readAtom(text);
    const entry = feed.entries.find(({ id }) => id === urn(first.id));
    expect(entry, path).toMatchObject({
      title: 'The bridge is shut & stays so',
      link: `${site.url}${live(newsroom)}/1`,
      language: 'en',
      authors: [[expect.any(String), `${site.url}/people/${reporter.handle}`]],
      source: base === live(newsroom) ? undefined : 'The river rises at Harrow Bridge',
    });
    expect(entry?.terms).toEqual(['key-event', topic.replace('/topics/', '')]);
    expect(entry?.content).toContain('<p>Nobody crosses.</p>');
    const [, src = ''] =
      /<figure><img src="([^"]+)" width="960" height="565" alt="/.exec(entry?.content ?? '') ?? [];
    expect((await ask(site, src)).headers.get('content-type')).toBe('image/webp');
    expect(feed.link('self')).toBe(site.url + path);
    expect(
      feed.entries.some(({ id }) => id === urn(plain.id)),
      'update without headline',
    ).toBe(base === live(newsroom));

    const { types, titles, first: firstEntries, second: secondEntries } = await readByOtherParsers(text);
    expect([types, titles]).toEqual([
      ['atom', 'atom'],
      [feed.title, feed.title],
    ]);
    for (const parsed of [firstEntries, secondEntries]) {
      expect(parsed.map(({ id, title, url }) => ({ id, title, url }))).toEqual(
        feed.entries.map(({ id, title, link }) => ({ id, title, url: link })),
      );
      expect(parsed.map(({ updated }) => updated)).toEqual(feed.entries.map(({ updated }) => updated));
    }

    const json = await jsonOf(site, `${base}/feed.json`);
    expect(json.items.map(({ id }) => id)).toEqual(feed.entries.map(({ id }) => id));
    expect(json.items.map(({ content_html }) => content_html)).toEqual(
      feed.entries.map(({ content }) => content),
    );
    expect(json.feed_url).toBe(`${site.url}${base}/feed.json`);
  }
  for (const [page, base] of [
    ['/', ''],
    [live(newsroom), live(newsroom)],
    [topic, topic],
    ['/about', ''],
  ]) {
    const html = await get(site, page as string);
    for (const [format, type] of [
      ['atom', 'atom'],
      ['json', 'feed'],
    ]) {
      expect(html, page).toContain(
        `<link rel="alternate" type="application/${type}+${format === 'atom' ? 'xml' : 'json'}"`,
      );
      expect(html, page).toContain(`href="${site.url}${base}/feed.${format}"`);
      expect(html, page).toContain(`<a href="${base}/feed.${format}">`);
    }
  }
});

test('keeps the entry of a corrected update, and replaces a withdrawn one by a tombstone', async ({
  site,
  newsroom,
}) => {
  const topic = await withTopic(newsroom);
  const update = await newsroom.publish({ body: [paragraph('Three steps are under water.')] });
  const wrong = await newsroom.publish({ headline: 'Zeppelin seen', body: [paragraph('A zeppelin.')] });
  await newsroom.publish();
  const bases = [live(newsroom), topic, ''];
  const before = await Promise.all(bases.map((base) => atomOf(site, `${base}/feed.atom`)));
  await newsroom.correct(update, { body: [paragraph('Two steps are.')] }, 'Two, not three.');
  await newsroom.withdraw(wrong, 'It was a balloon.');
  await vi.waitFor(async () => {
    for (const [n, base] of bases.entries()) {
      const feed = await atomOf(site, `${base}/feed.atom`);
      const entry = feed.entries.find(({ id }) => id === urn(update.id));
      expect(entry?.content).toMatch(
        /Two steps are\.<\/p><p><strong>Correction<\/strong>, <time[^>]*>\d\d:\d\d \w+<\/time>: Two, not three\.<\/p>/,
      );
      const was = before[n]?.entries.find(({ id }) => id === urn(update.id));
      if (was) expect(Date.parse(entry?.updated ?? '')).toBeGreaterThan(Date.parse(was.updated));
      expect(feed.deleted).toContainEqual(
        expect.objectContaining({ ref: urn(wrong.id), comment: 'It was a balloon.' }),
      );
      expect(feed.entries.map(({ id }) => id)).not.toContain(urn(wrong.id));
      const json = await jsonOf(site, `${base}/feed.json`);
      expect(json.items.find(({ id }) => id === urn(wrong.id))).toMatchObject({
        title: 'Withdrawn',
        content_text: 'It was a balloon.',
        _stoppress: { withdrawn: true },
      });
      for (const format of ['atom', 'json']) {
        const text = await get(site, `${base}/feed.${format}`);
        expect(text).not.toMatch(/zeppelin|Three steps/i);
      }
    }
  }, INVALIDATION_MS);
});

test('reaches every update once through its archive, whose full documents never change', async ({
  site,
  newsroom,
}) => {
  const ids = await fill(site, newsroom, 104);
  const path = `${live(newsroom)}/feed.atom`;
  expect((await ask(site, `${path}?archive=3`)).status).toBe(404);
  const documents = await walkAtom(site, path);
  expect(documents.map(({ path }) => path.replace(/^.*\/live\/[^/]+/, ''))).toEqual([
    '/feed.atom',
    '/feed.atom?archive=2',
    '/feed.atom?archive=1',
  ]);
  const [newest, second, first] = documents.map(({ read }) => read);
  expect([first, second].map((one) => one?.entries.map(({ id }) => id))).toEqual([
    ids.slice(0, 50).toReversed(),
    ids.slice(50, 100).toReversed(),
  ]);
  expect([newest?.isArchive, first?.isArchive, newest?.isComplete]).toEqual([false, true, false]);
  expect([first?.link('next-archive'), first?.link('current')]).toEqual([
    `${site.url}${path}?archive=2`,
    `${site.url}${path}`,
  ]);
  const json = await walkJson(site, `${live(newsroom)}/feed.json`);
  expect(json.slice(1).flatMap(({ items }) => items.map(({ id }) => id))).toEqual(
    ids.slice(0, 100).toReversed(),
  );

  // Corrected old updates enter the newest document without displacing updates that no archive contains.
  const { data } = await site.service
    .from('updates')
    .select('id, version')
    .eq('coverage_id', newsroom.coverage.id)
    .lte('number', 50)
    .order('number');
  for (const { id, version } of data ?? []) {
    await call(newsroom.people.editor.client, 'revise_update', {
      update_id: id,
      version,
      content: { body: [paragraph(`Revised ${id}.`)] },
    });
  }
  const next = await newsroom.publish();
  await vi.waitFor(async () => {
    const feed = await atomOf(site, path);
    const listed = new Set(feed.entries.map(({ id }) => id));
    expect([...listed]).toContain(urn(next.id));
    expect(ids.slice(100).filter((id) => !listed.has(id))).toEqual([]);
    expect(ids.slice(0, 50).filter((id) => listed.has(id))).toHaveLength(49);
  }, INVALIDATION_MS);
  expect(await get(site, `${path}?archive=2`)).toBe(documents[1]?.text);
});

test('splits the archives of site and topic by months of publication, fifty entries each', async ({
  site,
  newsroom,
}) => {
  const topic = await withTopic(newsroom);
  const ids = [
    ...(await fill(site, newsroom, 60, { from: Date.UTC(2025, 3, 30, 23, 30), headline: 'Spring' })),
    ...(await fill(site, newsroom, 104, { from: Date.UTC(2025, 6, 2), headline: 'July' })),
  ];
  await fill(site, newsroom, 5, { from: Date.UTC(2025, 8, 1) });
  const documents = await walkAtom(site, `${topic}/feed.atom`);
  expect(documents.map(({ read }) => read.link('self')?.replace(/^.*feed\.atom/, ''))).toEqual([
    '',
    '?archive=2025-07.3',
    '?archive=2025-07.2',
    '?archive=2025-07',
    '?archive=2025-05',
    '?archive=2025-04',
  ]);
  expect(documents.map(({ read }) => read.link('next-archive')?.replace(/^.*feed\.atom/, ''))).toEqual([
    undefined,
    undefined,
    '?archive=2025-07.3',
    '?archive=2025-07.2',
    '?archive=2025-07',
    '?archive=2025-05',
  ]);
  const archived = documents.slice(1).flatMap(({ read }) => read.entries.map(({ id }) => id));
  expect(archived).toEqual(ids.toReversed());
  const reached = (await walkJson(site, '/feed.json')).flatMap(({ items }) => items.map(({ id }) => id));
  expect(ids.filter((id) => !reached.includes(id))).toEqual([]);
  expect((await ask(site, `${topic}/feed.atom?archive=2025-06`)).status).toBe(404);
  expect((await ask(site, `/topics/no-such-topic/feed.atom`)).status).toBe(404);
});

test('is sent compressed with its own type, to any origin, and answers 304', async ({ site, newsroom }) => {
  await newsroom.publish();
  for (const [path, type] of [
    [`${live(newsroom)}/feed.atom`, 'application/atom+xml; charset=utf-8'],
    ['/feed.json', 'application/feed+json; charset=utf-8'],
  ] as const) {
    const answer = await ask(site, `${path}?utm_source=x`, { 'accept-encoding': 'br' });
    const { headers } = answer;
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': type,
      'content-encoding': 'br',
      'access-control-allow-origin': '*',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; base-uri 'none'",
    });
    const unchanged = await ask(site, path, { 'if-none-match': headers.get('etag') ?? '' });
    expect([unchanged.status, await unchanged.text()]).toEqual([304, '']);
  }
});

test('follows the state of its coverage: draft, scheduled, ended, renamed and withdrawn', async ({
  site,
  newsroom,
}) => {
  const { editor } = newsroom.people;
  const path = (slug: string) => `/live/${slug}/feed.atom`;
  const slug = `coming-${randomUUID().slice(0, 8)}`;
  const coverage_id = randomUUID();
  await call(editor.client, 'create_coverage', { coverage_id, content: { slug, headline: 'To come' } });
  expect((await ask(site, path(slug))).status).toBe(404);
  const starts_at = new Date(Date.now() + 3_600_000).toISOString();
  await call(editor.client, 'save_coverage', { coverage_id, version: 1, content: { starts_at } });
  await call(editor.client, 'set_coverage_state', { coverage_id, state: 'scheduled' });
  await vi.waitFor(async () => {
    expect(await atomOf(site, path(slug))).toMatchObject({ title: 'To come', entries: [], isComplete: true });
    expect((await jsonOf(site, `/live/${slug}/feed.json`)).expired).toBeUndefined();
  }, INVALIDATION_MS);

  const secret = await newsroom.publish({
    headline: 'Libel in a headline',
    body: [paragraph('Libel in words.')],
  });
  expect((await atomOf(site, '/feed.atom')).entries.map(({ id }) => id)).toContain(urn(secret.id));
  await newsroom.setState('ended');
  await vi.waitFor(
    async () => expect((await jsonOf(site, `${live(newsroom)}/feed.json`)).expired).toBe(true),
    INVALIDATION_MS,
  );

  const renamed = `${newsroom.coverage.slug}-2`;
  const { data } = await editor.client
    .from('coverages')
    .select('version')
    .eq('id', newsroom.coverage.id)
    .single();
  await call(editor.client, 'save_coverage', {
    coverage_id: newsroom.coverage.id,
    version: data?.version,
    content: { slug: renamed },
  });
  await vi.waitFor(async () => {
    const answer = await ask(site, `${live(newsroom)}/feed.json?archive=1&x=y`);
    expect([answer.status, answer.headers.get('location')]).toEqual([
      301,
      `/live/${renamed}/feed.json?archive=1`,
    ]);
  }, INVALIDATION_MS);
  expect((await atomOf(site, path(renamed))).entries.map(({ id }) => id)).toEqual([urn(secret.id)]);

  await newsroom.setState('withdrawn');
  await vi.waitFor(async () => {
    expect((await ask(site, path(renamed))).status).toBe(410);
    const text = await get(site, '/feed.atom');
    expect(text).not.toMatch(new RegExp(`Libel|${newsroom.coverage.slug}`));
    expect(readAtom(text).deleted).toContainEqual(
      expect.objectContaining({ ref: urn(secret.id), comment: undefined }),
    );
    const json = await jsonOf(site, '/feed.json');
    expect(json.items.find(({ id }) => id === urn(secret.id))).toMatchObject({ title: 'Withdrawn' });
    expect(JSON.stringify(json)).not.toMatch(new RegExp(`Libel|${newsroom.coverage.slug}`));
  }, INVALIDATION_MS);
});
