import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { RELOAD } from '../support/http-client.ts';
import { call, type Newsroom, paragraph, type SavedUpdate } from '../support/newsroom.ts';
import type { TestSite } from '../support/site.ts';
import { test as base } from '../support/test.ts';

const test = base.extend('ownSite', true);

/** Sends a request without the headers and the decompression of `fetch`. */
async function send(site: TestSite, path: string, headers: Record<string, string> = {}, method = 'GET') {
  const outgoing = request(site.url + path, { method, headers: { connection: 'close', ...headers } });
  outgoing.end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) };
}

const statusOf = async (site: TestSite, path: string) => (await send(site, path)).status;
const textOf = async (site: TestSite, path: string, headers: Record<string, string> = {}) =>
  (await send(site, path, headers)).body.toString();

const live = ({ coverage }: Newsroom, rest = '') => `/live/${coverage.slug}${rest}`;

test('serves one copy in every encoding, never dated later than its content', async ({ site, newsroom }) => {
  await newsroom.publish();
  // Until the invalidation of this publication has arrived.
  await eventually(async () => {
    const plain = await send(site, live(newsroom));
    const br = await send(site, live(newsroom), { 'accept-encoding': 'gzip, deflate, br' });
    const gzip = await send(site, live(newsroom), { 'accept-encoding': 'gzip' });
    const head = await send(site, live(newsroom), { 'accept-encoding': 'gzip' }, 'HEAD');
    expect(brotliDecompressSync(br.body).equals(plain.body), 'brotli contains the page').toBe(true);
    expect(gunzipSync(gzip.body).equals(plain.body), 'gzip contains the page').toBe(true);
    expect(head).toMatchObject({ status: 200, body: Buffer.alloc(0) });
    expect(head.headers['content-length']).toBe(String(gzip.body.length));
    const made = /data-made="([^"]*)"/.exec(plain.body.toString())?.[1] ?? '';
    for (const { headers } of [plain, br, gzip, head]) {
      expect(headers.age ?? '0').toMatch(/^\d+$/);
      expect(headers.vary).toBe('accept-encoding');
      // The date is never later than the content.
      expect(Date.parse(headers.date ?? '')).toBeLessThanOrEqual(Date.parse(made));
    }
  });
});

test('shows a published update on every page at once', async ({ site, newsroom }) => {
  const { handle } = newsroom.people.reporter;
  const paths = [
    '/',
    live(newsroom),
    live(newsroom, '?show=key'),
    live(newsroom, '/changes?after=1'),
    `/people/${handle}`,
  ];
  for (const path of [...paths, live(newsroom, '/1')]) await send(site, path);
  await newsroom.publish({ headline: 'The bridge is shut', key_event: true });
  for (const path of [...paths, live(newsroom, '/1')]) {
    await expect.poll(() => textOf(site, path), { message: path }).toContain('The bridge is shut');
  }
});

/** Publishes updates. @returns the third of them */
async function publishMany(newsroom: Newsroom, count: number): Promise<SavedUpdate> {
  const saved: SavedUpdate[] = [];
  while (saved.length < count) saved.push(await newsroom.publish());
  const [, , third] = saved;
  if (!third) throw new Error('There are fewer than three updates.');
  return third;
}

test('keeps older pages when an update is published, and renews those whose update was changed', async ({
  site,
  newsroom,
}) => {
  const third = await publishMany(newsroom, 31);
  const kept = [live(newsroom, '?before=11'), live(newsroom, '?order=oldest'), live(newsroom, '/3')];
  const readAll = () => Promise.all(kept.map((path) => textOf(site, path)));
  // Repeated, because the first copies can be older than the invalidations of the first publications. The text
  // contains the time of its rendering.
  await expect
    .poll(async () => {
      const before = await readAll();
      const { number } = await newsroom.publish();
      await expect.poll(() => textOf(site, live(newsroom))).toContain(`id="update-${number}"`);
      return isDeepStrictEqual(await readAll(), before);
    })
    .toBe(true);
  await newsroom.revise(third, { headline: 'Corrected headline' });
  for (const path of kept)
    await expect.poll(() => textOf(site, path), { message: path }).toContain('Corrected headline');
});

test('removes a withdrawn update from every page', async ({ site, newsroom }) => {
  const update = await newsroom.publish({ headline: 'A secret', key_event: true });
  const { handle } = newsroom.people.reporter;
  const paths = [
    '/',
    live(newsroom),
    live(newsroom, '/1'),
    live(newsroom, '/changes?after=1'),
    `/people/${handle}`,
  ];
  for (const path of paths) expect(await textOf(site, path, RELOAD)).toContain('A secret');
  await newsroom.withdraw(update, 'It was not ours to tell.');
  for (const path of paths) {
    await expect.poll(() => textOf(site, path), { message: path }).not.toContain('A secret');
  }
});

test('shows a coverage that goes live, and its first update, where they were missing before', async ({
  site,
  newsroom,
}) => {
  const editor = newsroom.people.editor.client;
  const [coverage_id, slug] = [randomUUID(), `later-${randomUUID().slice(0, 8)}`];
  await call(editor, 'create_coverage', { coverage_id, content: { slug, headline: 'The count' } });
  const paths = [`/live/${slug}`, `/live/${slug}/changes?after=0`];
  for (const path of paths) expect(await statusOf(site, path)).toBe(404);
  await call(editor, 'set_coverage_state', { coverage_id, state: 'live' });
  for (const path of paths) await expect.poll(() => statusOf(site, path), { message: path }).toBe(200);

  expect(await statusOf(site, `/live/${slug}/1`)).toBe(404);
  const content = { body: [paragraph('The first result.')] };
  await call(newsroom.people.reporter.client, 'publish_update', {
    coverage_id,
    update_id: randomUUID(),
    content,
  });
  await expect.poll(() => statusOf(site, `/live/${slug}/1`)).toBe(200);
});

test('follows a coverage that is renamed and renamed back', async ({ site, newsroom }) => {
  const { id: coverage_id, slug } = newsroom.coverage;
  const rename = (version: number, to: string) =>
    call(newsroom.people.editor.client, 'save_coverage', { coverage_id, version, content: { slug: to } });
  expect(await statusOf(site, `/live/${slug}`)).toBe(200);
  expect(await statusOf(site, `/live/${slug}-moved`)).toBe(404);
  await rename(1, `${slug}-moved`);
  await expect.poll(() => statusOf(site, `/live/${slug}`)).toBe(301);
  await expect.poll(() => statusOf(site, `/live/${slug}-moved`)).toBe(200);
  await rename(2, slug);
  await expect.poll(() => statusOf(site, `/live/${slug}-moved`)).toBe(301);
  await expect.poll(() => statusOf(site, `/live/${slug}`)).toBe(200);
});

test('shows a new site name on every page', async ({ site, newsroom }) => {
  const paths = ['/', '/about', live(newsroom), '/nowhere-at-all', '/live/No_Slug'];
  for (const path of paths) await send(site, path);
  const { data: before } = await site.service.from('site').select('name').single();
  const owner = newsroom.people.owner.client;
  await call(owner, 'save_site', { content: { name: 'The Harrow Post' } });
  for (const path of paths) {
    await expect.poll(() => textOf(site, path), { message: path }).toContain('The Harrow Post');
  }
  await call(owner, 'save_site', { content: { name: before?.name } });
});

test('does not cache private pages, present or missing', async ({ site }) => {
  for (const path of ['/sign-in', '/desk', '/desk/none', '/account/none', '/api/none', '/api/me']) {
    const { headers } = await send(site, path);
    expect(headers['cache-control'], path).toContain('no-store');
    expect(headers, path).not.toHaveProperty('cache-tag');
    expect(headers, path).not.toHaveProperty('age');
  }
});
