import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { reader as readerMessages } from '../../src/lib/i18n/en/reader.ts';
import { tips } from '../../src/lib/i18n/en/tips.ts';
import { serviceClient, startBackend, type TestBackend } from '../support/backend.ts';
import { cookieJar, signInWithCookies } from '../support/http-client.ts';
import { type RecordingProxy, startRecordingProxy } from '../support/http-proxies.ts';
import {
  createLiveCoverage,
  createUsers,
  type Newsroom,
  paragraph,
  type SavedUpdate,
} from '../support/newsroom.ts';
import { startSite, type TestSite } from '../support/site.ts';
import { type FaultMode, type FaultyProxy, startFaultyProxy } from '../support/tcp-proxies.ts';

let backend: TestBackend;
let proxy: RecordingProxy;
let faultyProxy: FaultyProxy;
let site: TestSite;
let newsroom: Newsroom;
let pinned: SavedUpdate;
let live: string;

beforeAll(async () => {
  backend = await startBackend();
  proxy = await startRecordingProxy(backend.url);
  faultyProxy = await startFaultyProxy(proxy.url);
  site = await startSite({
    environment: {
      PUBLIC_SUPABASE_URL: faultyProxy.url,
      STOPPRESS_BACKEND_HEADERS: JSON.stringify(backend.headers),
      PUBLIC_SUPABASE_PUBLISHABLE_KEY: backend.publishableKey,
      SUPABASE_SECRET_KEY: backend.secretKey,
    },
  });
  newsroom = await createLiveCoverage(await createUsers({ ...backend, service: serviceClient(backend) }));
  live = `/live/${newsroom.coverage.slug}`;
  pinned = await newsroom.publish({ headline: 'Pinned', key_event: true });
  for (let n = 1; n < 22; n++) await newsroom.publish({ body: [paragraph('A line.')] });
  await newsroom.pin(pinned);
  await waitUntilIdle();
});
afterAll(async () => {
  await site.stop();
  await faultyProxy.close();
  await backend.stop();
});

/** Waits until the server has received all changes, and has ended its refreshes. */
const waitUntilIdle = () =>
  vi.waitFor(() => expect(proxy.calls(), 'the server is idle').toEqual([]), {
    interval: 500,
    timeout: 30_000,
  });

/** Requests of the background, and for the settings of the site, which pages share. */
const NOT_COUNTED = /site_seqs|report_load|claim_table_readings|\/rest\/v1\/site\?select=name/;

/** Counts the backend requests for one page. */
async function countRequests(path: string, status = 200, { method = 'GET', headers = {} }: Sent = {}) {
  proxy.calls();
  const response = await fetch(`${site.url}${path}`, { method, redirect: 'manual', headers });
  expect(response.status, path).toBe(status);
  await response.arrayBuffer();
  return proxy.calls().filter((call) => !NOT_COUNTED.test(call)).length;
}

type Sent = { method?: string; headers?: Record<string, string> };

test('renders a page with few backend requests, and serves the next reader from the cache', async () => {
  // The coverage; then updates, urgent update, pinned update and key events in parallel.
  const pages = {
    [live]: 5,
    // These pages share the coverage.
    [`${live}?before=11`]: 1,
    [`${live}?order=oldest`]: 1,
    [`${live}?show=key`]: 1,
    [`${live}/2`]: 2,
    // Current and past coverages; then the urgent update of the live one.
    '/': 3,
    [`/people/${newsroom.people.reporter.handle}`]: 3,
    '/about': 1,
  };
  for (const [path, expected] of Object.entries(pages)) {
    expect(await countRequests(path), path).toBe(expected);
    expect(await countRequests(path), path).toBe(0);
  }
});

test('serves one cached copy for equivalent requests', async () => {
  const { headers } = await fetch(`${site.url}${live}`);
  expect(await countRequests(`${live}?fbclid=abc&utm_source=x`)).toBe(0);
  expect(await countRequests(`${live}?utm_source=x&before=11&before=21`)).toBe(0);
  expect(await countRequests(live.replace('/live/', '/%6Cive/'))).toBe(0);
  expect(await countRequests(live, 200, { method: 'HEAD' })).toBe(0);
  expect(await countRequests(live, 304, { headers: { 'If-None-Match': headers.get('etag') ?? '' } })).toBe(0);
  expect(await countRequests(live, 200, { headers: { Cookie: 'a=b', 'Cache-Control': 'no-cache' } })).toBe(0);
});

test('renders once for simultaneous requests', async () => {
  proxy.calls();
  const paths = Array.from({ length: 20 }, (_, n) => `${live}/3?n=${n}`);
  await Promise.all(paths.map(async (path) => (await fetch(site.url + path)).arrayBuffer()));
  expect(proxy.calls().filter((call) => !NOT_COUNTED.test(call))).toHaveLength(2);
});

test('loads notes and history only for a revised update', async () => {
  await newsroom.correct(pinned, { headline: 'Pinned' }, 'It was otherwise.');
  await expect
    .poll(async () => (await fetch(`${site.url}${live}`)).text(), { message: 'the live page' })
    .toContain('It was otherwise.');
  await waitUntilIdle();
  expect(await countRequests(`${live}/1`)).toBe(4);
});

test('makes few backend requests for a missing page, and none for an impossible address', async () => {
  // The website knows all slugs.
  expect(await countRequests('/live/never-was', 404)).toBe(0);
  expect(await countRequests('/live/never-was/changes?after=1', 404)).toBe(0);
  expect(await countRequests('/live/No_Slug', 404)).toBe(0);
  expect(await countRequests(`${live}?before=5`, 301)).toBeLessThanOrEqual(1);
  expect(await countRequests('/never-was', 404)).toBe(0);
  expect(await countRequests('/topics/none', 404)).toBe(1);
  expect(await countRequests('/topics/none', 404)).toBe(0);
});

test('allows connections to the backend on live pages only', async () => {
  const policy = async (path: string) =>
    (await fetch(`${site.url}${path}`)).headers.get('content-security-policy');
  expect(await policy(live)).toContain(
    `connect-src 'self' ${faultyProxy.url} ${faultyProxy.url.replace('http', 'ws')};`,
  );
  expect(await policy('/')).not.toContain('connect-src');
});

/** Time limits of a read and of a form's call, and a margin for a busy machine. */
const [READ_MS, CALL_MS, MARGIN_MS] = [5_000, 20_000, 4_000];

/** A tip as a form without script sends it. */
function tipForm(): FormData {
  const form = new FormData();
  const typed = {
    coverage: newsroom.coverage.slug,
    body: 'The gate “is” <shut>.',
    name: 'Ada',
    contact: 'ada@a.example',
  };
  for (const [name, value] of Object.entries(typed)) form.set(name, value);
  form.set('may_be_named', 'on');
  form.set('photo', new File([JPEG], 'gate.jpg', { type: 'image/jpeg' }));
  return form;
}

/** Enough bytes to recognise the type. */
const JPEG = Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex');

/** Expects the form with everything that was typed. */
function expectTypedValues(html: string): void {
  expect(html).toMatch(/<textarea[^>]*>The gate “is” &lt;shut(>|&gt;)\.<\/textarea>/);
  for (const value of ['Ada', 'ada@a.example', newsroom.coverage.slug])
    expect(html).toContain(`value="${value}"`);
  expect(html).toMatch(
    /<input[^>]*name="may_be_named"[^>]*checked|<input[^>]*checked[^>]*name="may_be_named"/,
  );
  expect(html).toContain(tips.photoAgain);
  expect(html).toContain(tips.refused.unavailable);
}

test.each<[FaultMode, string]>([
  ['swallows', 'accepts connections and never answers'],
  ['stalls', 'begins responses and does not end them'],
])(
  'serves cached pages, answers 503 in time for others, and recovers when the backend %s (%s)',
  {
    timeout: 120_000,
  },
  async (mode) => {
    const { owner } = newsroom.people;
    const visitor = await signInWithCookies(site.url, owner);
    const cached = await (await fetch(site.url + live)).text();
    const timed = async (pending: Promise<Response>) => {
      const startedAt = performance.now();
      const answer = await pending;
      const html = await answer.text();
      return { status: answer.status, html, duration: performance.now() - startedAt };
    };
    faultyProxy.setMode(mode);
    try {
      // The requests run in parallel; none delays another.
      const [page, unread, desk, signIn, tip] = await Promise.all([
        timed(fetch(site.url + live)),
        timed(fetch(`${site.url}/people/nobody-${mode}`)),
        timed(visitor.get('/account')),
        timed(cookieJar(site.url).post('/sign-in', { email: owner.email, password: owner.password })),
        timed(cookieJar(site.url).post('/tips', tipForm())),
      ]);
      expect([page.status, page.html]).toEqual([200, cached]);
      expect(page.duration).toBeLessThan(1_000);
      expect.soft([unread.status, desk.status, signIn.status, tip.status]).toEqual([503, 503, 503, 503]);
      for (const { duration } of [unread, desk]) expect.soft(duration).toBeLessThan(READ_MS + MARGIN_MS);
      expect.soft(signIn.duration).toBeLessThan(CALL_MS + MARGIN_MS);
      expect.soft(signIn.html).toContain(`value="${owner.email}"`);
      expect.soft(tip.duration).toBeLessThan(CALL_MS + MARGIN_MS);
      expectTypedValues(tip.html);
    } finally {
      faultyProxy.setMode('passes');
    }
    await expect.poll(async () => (await visitor.get('/account')).status, { timeout: 20_000 }).toBe(200);
    const headline = `After it ${mode}`;
    await newsroom.publish({ headline });
    await expect
      .poll(async () => (await fetch(site.url + live)).text(), { timeout: 40_000, interval: 200 })
      .toContain(headline);
  },
);

test('serves cached pages when the backend is gone, and explains the failure for all others', async () => {
  const before = await (await fetch(`${site.url}/about`)).text();
  await proxy.close();
  const cached = await fetch(`${site.url}/about`);
  expect(cached.status).toBe(200);
  expect(await cached.text()).toBe(before);
  for (const path of [`${live}/4`, `${live}?show=key&before=2`, '/people/nobody', '/corrections']) {
    const response = await fetch(`${site.url}${path}`);
    expect(response.status, path).toBe(503);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('retry-after')).toBe('30');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'self'");
    const html = await response.text();
    expect(html).toContain(readerMessages.errors.unavailable.title);
    expect(html).not.toMatch(/fetch failed|ECONNREFUSED|\/rest\/v1|at async|Error:/);
  }
});
