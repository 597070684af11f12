import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { cacheControl } from '../../../src/lib/http/cache-policy.ts';
import { compress } from '../../../src/lib/server/page-cache/cached-response.ts';
import { createPageCache, type PageCacheOptions } from '../../../src/lib/server/page-cache/middleware.ts';

const PHOTO = { 'content-type': 'image/webp', 'cache-control': 'public, s-maxage=10' };
const PAGE = `<p>${'What is known, as it comes in. '.repeat(40)}</p>`;
const ETAG = 'W/"one"';

async function render(key: string) {
  return {
    status: key === '/404' ? 404 : 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': cacheControl(key === '/404' ? 'missing' : 'page'),
      'cache-tag': 'site,lists',
      'content-security-policy': "default-src 'none'",
      date: 'Thu, 01 Jan 1970 00:00:00 GMT',
      connection: 'keep-alive',
      ...(key === '/robots.txt' ? {} : { etag: ETAG }),
    },
    bodies: await compress(Buffer.from(`${PAGE}${key}`), 'text/html'),
  };
}

afterEach(() => void vi.useRealTimers());

/** A server with the page cache in front of pages that answer `next`. The clock is controlled. */
async function open(options: Partial<PageCacheOptions> = {}) {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 21, 12), toFake: ['Date'] });
  const clock = { now: 0 };
  const rendered = vi.fn(options.render ?? render);
  const pageCache = createPageCache({ ...options, render: rendered, now: () => clock.now });
  const answer = pageCache.middleware((_request, response) => void response.end('next'));
  const server = createServer((incoming, outgoing) => {
    if (!pageCache.serveStored(incoming, outgoing)) void answer(incoming, outgoing);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;

  async function fetchPage(path: string, headers: Record<string, string | string[]> = {}, method = 'GET') {
    const outgoing = request({ port, path, method, headers: { connection: 'close', ...headers } });
    outgoing.end();
    const [answered] = (await once(outgoing, 'response')) as [IncomingMessage];
    return { status: answered.statusCode, headers: answered.headers, body: await buffer(answered) };
  }
  return { pageCache, clock, rendered, fetchPage };
}

test('sends a copy with its own Date and Age', async () => {
  const { fetchPage, clock } = await open();
  const first = await fetchPage('/about');
  clock.now += 7_900;
  vi.setSystemTime(Date.UTC(2026, 10, 21, 11));
  const second = await fetchPage('/about');
  for (const { status, headers, body } of [first, second]) {
    expect(status).toBe(200);
    expect(body.toString()).toBe(`${PAGE}/about`);
    expect(headers).toMatchObject({
      date: 'Sat, 21 Nov 2026 12:00:00 GMT',
      etag: ETAG,
      vary: 'accept-encoding',
      'cache-control': 'max-age=0, s-maxage=10, stale-if-error=50',
      'cdn-cache-control': 'max-age=10, stale-while-revalidate=20, stale-if-error=50',
      'cache-tag': 'site,lists',
      'content-security-policy': "default-src 'none'",
      'content-length': String(body.length),
    });
    expect(headers['content-encoding']).toBeUndefined();
  }
  expect([first, second].map(({ headers }) => headers.age)).toEqual([undefined, '7']);
});

test('sends each client the encoding that it prefers', async () => {
  const { fetchPage, rendered } = await open();
  for (const _ of ['rendered', 'stored']) {
    const br = await fetchPage('/about', { 'accept-encoding': 'gzip, deflate, br' });
    expect(br.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(br.body).toString()).toBe(`${PAGE}/about`);
    const gzip = await fetchPage('/about', { 'Accept-Encoding': ['gzip', 'br;q=0'] });
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.body).toString()).toBe(`${PAGE}/about`);
    expect(gzip.headers['content-length']).toBe(String(gzip.body.length));
  }
  expect(rendered).toHaveBeenCalledTimes(1);
});

test('reports the rendering time in Server-Timing', async () => {
  const { fetchPage, clock } = await open({
    async render(key) {
      clock.now += key === '/privacy' ? 50 : 51;
      return render(key);
    },
  });
  const visit = { 'sec-fetch-mode': 'navigate' };
  expect((await fetchPage('/about', visit)).headers['server-timing']).toBe('made;dur=51');
  for (const { headers } of [
    await fetchPage('/about', visit),
    await fetchPage('/privacy', visit),
    await fetchPage('/tips'),
  ])
    expect(headers).not.toHaveProperty('server-timing');
});

test('answers HEAD without a body', async () => {
  const { fetchPage, rendered } = await open();
  // Another encoding would have another ETag.
  const accept = { 'accept-encoding': 'gzip' };
  for (const _ of ['rendered', 'stored']) {
    const head = await fetchPage('/about', accept, 'HEAD');
    const { headers } = await fetchPage('/about', accept);
    expect(head.headers).toEqual(headers);
    expect(head.body).toHaveLength(0);
  }
  expect(rendered).toHaveBeenCalledTimes(1);
});

test.for([
  [ETAG, 304],
  ['"one"', 304],
  ['"two", W/"one"', 304],
  [' * ', 304],
  ['"two"', 200],
  ['', 200],
] as const)('who holds %s is answered %i', async ([etags, status]) => {
  const { fetchPage } = await open();
  await fetchPage('/about');
  const answer = await fetchPage('/about', { 'If-None-Match': etags, 'accept-encoding': 'br' });
  expect(answer.status).toBe(status);
  if (status === 200) return;
  expect(answer.body).toHaveLength(0);
  expect(answer.headers).toMatchObject({
    etag: ETAG,
    vary: 'accept-encoding',
    'cache-tag': 'site,lists',
  });
  // The field would replace the policy of the stored page.
  expect(answer.headers).not.toHaveProperty('content-security-policy');
  expect(answer.headers).not.toHaveProperty('content-encoding');
});

test('answers no 304 for pages without ETag, and for errors', async () => {
  const { fetchPage } = await open();
  expect((await fetchPage('/robots.txt', { 'If-None-Match': '*' })).status).toBe(200);
  expect((await fetchPage('/live/No_Slug', { 'If-None-Match': '*' })).status).toBe(404);
});

test('bypasses other methods and private pages', async () => {
  const { fetchPage, rendered } = await open();
  await fetchPage('/about');
  rendered.mockClear();
  expect((await fetchPage('/about', {}, 'POST')).body.toString()).toBe('next');
  expect((await fetchPage('/desk')).body.toString()).toBe('next');
  expect((await fetchPage('/sign-in?a=b')).body.toString()).toBe('next');
  expect(rendered).not.toHaveBeenCalled();
});

test('answers made-up URLs with one response from memory', async () => {
  const { fetchPage, pageCache, rendered } = await open();
  pageCache.setSlugs(new Set(['river']));
  for (let n = 0; n < 20; n++) {
    const answer = await fetchPage(`/live/made-up-${n}?before=${n}`);
    expect(answer.status).toBe(404);
  }
  expect(rendered.mock.calls.map(([key]) => key)).toEqual(['/404']);
  expect((await fetchPage('/live/river')).status).toBe(200);
});

test('asks for an unknown slug before it answers 404', async () => {
  const { fetchPage, pageCache } = await open();
  pageCache.setSlugs(new Set());
  pageCache.compareWith(async () => pageCache.setSlugs(new Set(['river'])));
  expect((await fetchPage('/live/river')).status).toBe(200);
});

test('answers 503 with Retry-After if the queue is full', async () => {
  const { fetchPage } = await open({ render: () => new Promise(() => {}), timeoutMs: 1 });
  const answer = await fetchPage('/about');
  expect(answer.status).toBe(503);
  expect(answer.headers).toMatchObject({ 'retry-after': '5', 'cache-control': 'no-store' });
});

test('passes on responses that may not be stored, without Age and cookies', async () => {
  const { fetchPage } = await open({
    render: async () => ({
      status: 503,
      headers: { 'cache-control': 'no-store', 'retry-after': '30', 'set-cookie': 'a=b' },
      bodies: { identity: Buffer.from('down') },
    }),
  });
  const { status, headers, body } = await fetchPage('/about');
  expect([status, body.toString(), headers['retry-after']]).toEqual([503, 'down', '30']);
  expect(headers).not.toHaveProperty('age');
  expect(headers).not.toHaveProperty('set-cookie');
});

test('renders again after an invalidation', async () => {
  const { fetchPage, pageCache, rendered } = await open();
  await fetchPage('/about');
  pageCache.purge(['lists'], 'stale');
  await fetchPage('/about');
  pageCache.purgeAll('gone');
  await fetchPage('/about');
  expect(rendered).toHaveBeenCalledTimes(3);
});

test('forbids other caches to use the copy from before an invalidation', async () => {
  const { fetchPage, pageCache, rendered } = await open({ refreshes: 0 });
  await fetchPage('/about');
  const policy = (await fetchPage('/about')).headers['cache-control'];
  rendered.mockReturnValue(new Promise(() => {}));
  pageCache.purge(['lists'], 'stale');
  const { status, headers } = await fetchPage('/about');
  expect([status, headers['cache-control'], headers['cdn-cache-control']]).toEqual([
    200,
    'no-cache',
    undefined,
  ]);
  expect(policy).toContain('s-maxage');
});

test.for(['no-cache', 'max-age=0'])('renders an invalidated page for a reload (%s)', async (directive) => {
  const { fetchPage, pageCache, rendered } = await open();
  await fetchPage('/about');
  const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<typeof render>>>();
  rendered.mockReturnValue(promise);
  pageCache.purge(['lists'], 'stale');
  const answer = fetchPage('/about', { 'cache-control': directive });
  expect((await fetchPage('/about')).body.toString()).toContain('/about');
  resolve(await render('/new'));
  expect((await answer).body.toString()).toContain('/new');
});

test('keeps pages while many photos are requested', async () => {
  const picture = Buffer.alloc(5 * 1024 * 1024);
  const { fetchPage, rendered } = await open({
    render: async (key) =>
      key.startsWith('/photos/')
        ? {
            status: 200,
            headers: { ...PHOTO, 'content-length': `${picture.length}` },
            bodies: await compress(picture, 'image/webp'),
          }
        : render(key),
  });
  await fetchPage('/about');
  for (let n = 10; n < 24; n++) {
    const photo = await fetchPage(`/photos/0b9d2f6e-6a3c-4a3e-9d58-1f8a5c1f0a${n}/480`, {
      'accept-encoding': 'br, gzip',
    });
    expect(photo.headers['content-encoding']).toBeUndefined();
    expect(photo.body.length).toBe(picture.length);
  }
  await fetchPage('/about');
  await fetchPage('/photos/0b9d2f6e-6a3c-4a3e-9d58-1f8a5c1f0a23/480');
  expect(rendered).toHaveBeenCalledTimes(15);
  await fetchPage('/photos/0b9d2f6e-6a3c-4a3e-9d58-1f8a5c1f0a10/480');
  expect(rendered).toHaveBeenCalledTimes(16);
});

test('keeps photos while many made-up maps are requested', async () => {
  const picture = Buffer.alloc(5 * 1024 * 1024);
  const photo = '/photos/0b9d2f6e-6a3c-4a3e-9d58-1f8a5c1f0a10/480';
  const { fetchPage, rendered } = await open({
    async render(key) {
      const headers = { ...PHOTO, 'content-length': `${picture.length}` };
      return { status: key === photo ? 200 : 404, headers, bodies: await compress(picture, 'image/webp') };
    },
  });
  await fetchPage(photo);
  for (let n = 10; n < 25; n++) await fetchPage(`/live/river/1/map/10.${n},-20,3.svg`);
  expect(rendered).toHaveBeenCalledTimes(16);
  await fetchPage(photo);
  expect(rendered).toHaveBeenCalledTimes(16);
});

test('keeps pages while many searches run, and invalidates results with their content', async () => {
  let finishSearches = () => {};
  const waiting = new Promise<void>((resolve) => {
    finishSearches = resolve;
  });
  const { fetchPage, pageCache, rendered } = await open({
    maxBytes: 100_000,
    refreshes: 0,
    async render(key) {
      if (key.startsWith('/search?q=slow')) await waiting;
      const made = await render(key);
      if (key.startsWith('/search?')) made.headers['cache-control'] = cacheControl('results');
      return made;
    },
  });
  await fetchPage('/search');
  for (let n = 0; n < 40; n++) await fetchPage(`/search?q=made+up+${n}`);
  expect(rendered).toHaveBeenCalledTimes(41);
  // However it is typed, the response comes from memory.
  await fetchPage('/search?q=%20made%20up%2039&coverage=');
  await fetchPage('/search?q=');
  expect(rendered).toHaveBeenCalledTimes(41);

  const flood = Array.from({ length: 40 }, (_, n) => fetchPage(`/search?q=slow+${n}`));
  // Searches wait or are rejected meanwhile.
  expect((await fetchPage('/about')).status).toBe(200);
  const first = await Promise.race(flood);
  expect([first.status, first.headers['retry-after']]).toEqual([503, '5']);
  expect(first.body.toString()).toContain('Search is busy');
  expect((await fetchPage('/live/river')).status).toBe(200);
  finishSearches();
  const answers = await Promise.all(flood);
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(20);

  const before = rendered.mock.calls.length;
  pageCache.purge(['lists'], 'stale');
  await fetchPage('/search?q=slow+39');
  expect(rendered).toHaveBeenCalledTimes(before + 1);
});

test('keeps pages while many made-up positions of lists are requested', async () => {
  const { fetchPage, rendered } = await open({ maxBytes: 100_000, render });
  await fetchPage('/about');
  for (let n = 0; n < 300; n++) await fetchPage(`/people/ada?before=2026-11-22T10:00:00.${100_000 + n}`);
  expect(rendered).toHaveBeenCalledTimes(301);
  await fetchPage('/about');
  expect(rendered).toHaveBeenCalledTimes(301);
});

test('refuses renderings to a client above its limit, but sends cached pages', async () => {
  let wait = 0;
  const { fetchPage, rendered, pageCache } = await open({
    refreshes: 0,
    requesterOf: () => ({ client: '192.0.2.1', admit: () => wait }),
    refuseTooMany(_request, response, seconds) {
      response.writeHead(429, { 'retry-after': String(seconds) }).end();
    },
  });
  await fetchPage('/about');
  wait = 7;
  expect((await fetchPage('/about')).status).toBe(200);
  const refused = await fetchPage('/people/made-up');
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '7']);
  pageCache.purge(['site'], 'stale');
  expect((await fetchPage('/about')).status).toBe(200);
  expect(rendered).toHaveBeenCalledOnce();
  // Removed content is not sent.
  pageCache.purge(['site'], 'gone');
  expect((await fetchPage('/about')).status).toBe(429);
  wait = 0;
  expect((await fetchPage('/about')).status).toBe(200);
  expect((await fetchPage('/people/made-up')).status).toBe(200);
});

test('counts a rendering only for the first of several waiting clients', async () => {
  let charged = 0;
  const rendering = Promise.withResolvers<void>();
  const { fetchPage } = await open({
    requesterOf: () => ({ client: '192.0.2.1', admit: () => Math.max(0, ++charged - 1) }),
    async render(key) {
      await rendering.promise;
      return render(key);
    },
  });
  const many = Array.from({ length: 10 }, () => fetchPage('/about'));
  await expect.poll(() => charged).toBe(1);
  rendering.resolve();
  expect((await Promise.all(many)).map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect(charged).toBe(1);
});

test('follows its own redirect before the message about the new slug arrives', async () => {
  const { pageCache, fetchPage } = await open({
    async render(key) {
      const page = await render(key);
      if (key !== '/live/river') return page;
      return { ...page, status: 301, headers: { ...page.headers, location: '/live/sea' } };
    },
  });
  pageCache.setSlugs(new Set(['river']));
  expect((await fetchPage('/live/sea')).status).toBe(404);
  expect((await fetchPage('/live/river')).headers.location).toBe('/live/sea');
  expect((await fetchPage('/live/sea')).status).toBe(200);
  expect((await fetchPage('/live/lake')).status).toBe(404);
});
