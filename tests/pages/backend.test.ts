import { afterAll, beforeAll, expect, test } from 'vitest';
import { tips } from '../../src/lib/i18n/en/tips.ts';
import { serviceClient, startBackend, type TestBackend } from '../support/backend.ts';
import { cookieJar, signInJar } from '../support/http-client.ts';
import { type RecordingProxy, startRecordingProxy } from '../support/http-proxies.ts';
import {
  createLiveCoverage,
  createUsers,
  type Newsroom,
  paragraph,
  type Saved,
} from '../support/newsroom.ts';
import { startSite, type TestSite } from '../support/site.ts';
import { type FaultMode, type FaultyProxy, startFaultyProxy } from '../support/tcp-proxies.ts';

let backend: TestBackend;
let proxy: RecordingProxy;
let line: FaultyProxy;
let site: TestSite;
let newsroom: Newsroom;
let pinned: Saved;
let live: string;

beforeAll(async () => {
  backend = await startBackend();
  proxy = await startRecordingProxy(backend.url);
  line = await startFaultyProxy(proxy.url);
  site = await startSite({
    environment: {
      PUBLIC_SUPABASE_URL: line.url,
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
});
afterAll(async () => {
  await site.stop();
  await line.close();
  await backend.stop();
});

/** How many questions the backend is asked for an answer; what the server asks by itself is none of them. */
async function questions(path: string, status = 200, { method = 'GET', headers = {} }: Sent = {}) {
  proxy.calls();
  const response = await fetch(`${site.url}${path}`, { method, redirect: 'manual', headers });
  expect(response.status, path).toBe(status);
  await response.arrayBuffer();
  return proxy.calls().filter((call) => !/site_seqs|report_load/.test(call)).length;
}

type Sent = { method?: string; headers?: Record<string, string> };

test('a page costs few questions, and the next reader none', async () => {
  // Coverage and site; then updates, pinned update and key events at once.
  const pages = {
    [live]: 5,
    [`${live}?before=11`]: 3,
    [`${live}?order=oldest`]: 3,
    [`${live}?show=key`]: 3,
    [`${live}/2`]: 3,
    // The site, what is not over, and what is.
    '/': 3,
    [`/people/${newsroom.people.reporter.handle}`]: 4,
    // The site, and what it says of itself.
    '/about': 2,
  };
  for (const [path, many] of Object.entries(pages)) {
    expect(await questions(path), path).toBe(many);
    expect(await questions(path), path).toBe(0);
  }
});

test('one copy serves whoever asks in other words', async () => {
  const { headers } = await fetch(`${site.url}${live}`);
  expect(await questions(`${live}?fbclid=abc&utm_source=x`)).toBe(0);
  expect(await questions(`${live}?utm_source=x&before=11&before=21`)).toBe(0);
  expect(await questions(live.replace('/live/', '/%6Cive/'))).toBe(0);
  expect(await questions(live, 200, { method: 'HEAD' })).toBe(0);
  expect(await questions(live, 304, { headers: { 'If-None-Match': headers.get('etag') ?? '' } })).toBe(0);
  expect(await questions(live, 200, { headers: { Cookie: 'a=b', 'Cache-Control': 'no-cache' } })).toBe(0);
});

test('who asks at the same time shares one rendering', async () => {
  proxy.calls();
  const paths = Array.from({ length: 20 }, (_, n) => `${live}/3?n=${n}`);
  await Promise.all(paths.map(async (path) => (await fetch(site.url + path)).arrayBuffer()));
  expect(proxy.calls()).toHaveLength(3);
});

test('notes and history are asked for only where something was revised', async () => {
  await newsroom.correct(pinned, { headline: 'Pinned' }, 'It was otherwise.');
  expect(await questions(`${live}/1`)).toBe(5);
});

test('where there is no page, less is asked; nothing where there cannot be one', async () => {
  // The slugs that there are are known.
  expect(await questions('/live/never-was', 404)).toBe(0);
  expect(await questions('/live/never-was/changes?after=1', 404)).toBe(1);
  expect(await questions('/live/never-either/changes?after=2', 404)).toBe(0);
  expect(await questions('/live/No_Slug', 404)).toBe(0);
  expect(await questions(`${live}?before=5`, 301)).toBe(2);
  expect(await questions('/never-was', 404)).toBe(0);
  expect(await questions('/topics/none', 404)).toBe(2);
  expect(await questions('/topics/none', 404)).toBe(0);
});

test('a live page may open a socket to the backend, and a page that needs none may not', async () => {
  const policy = async (path: string) =>
    (await fetch(`${site.url}${path}`)).headers.get('content-security-policy');
  expect(await policy(live)).toContain(`connect-src 'self' ${line.url} ${line.url.replace('http', 'ws')};`);
  expect(await policy('/')).not.toContain('connect-src');
});

/** One question's bound, a form's call's, and what a busy machine adds. */
const [QUESTION_MS, CALL_MS, MORE_MS] = [5_000, 20_000, 4_000];

/** A tip as a form without a script sends it. */
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

/** As much of one as tells its kind. */
const JPEG = Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex');

/** The form again, with all that was typed. */
function expectKept(html: string): void {
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
  ['swallows', 'takes connections and never answers'],
  ['stalls', 'begins its answers and does not end them'],
])(
  'a backend that %s (%s): what is kept comes at once, all else is refused within its bound, and all comes back',
  {
    timeout: 120_000,
  },
  async (manner) => {
    const { owner } = newsroom.people;
    const visitor = await signInJar(site.url, owner);
    const kept = await (await fetch(site.url + live)).text();
    const timed = async (asked: Promise<Response>) => {
      const began = performance.now();
      const answer = await asked;
      const html = await answer.text();
      return { status: answer.status, html, took: performance.now() - began };
    };
    line.setMode(manner);
    try {
      // All at once: nobody waits for another.
      const [page, unread, desk, signIn, tip] = await Promise.all([
        timed(fetch(site.url + live)),
        timed(fetch(`${site.url}/people/nobody-${manner}`)),
        timed(visitor.get('/account')),
        timed(cookieJar(site.url).post('/sign-in', { email: owner.email, password: owner.password })),
        timed(cookieJar(site.url).post('/tips', tipForm())),
      ]);
      expect([page.status, page.html]).toEqual([200, kept]);
      expect(page.took).toBeLessThan(1_000);
      expect.soft([unread.status, desk.status, signIn.status, tip.status]).toEqual([503, 503, 503, 503]);
      for (const { took } of [unread, desk]) expect.soft(took).toBeLessThan(QUESTION_MS + MORE_MS);
      expect.soft(signIn.took).toBeLessThan(CALL_MS + MORE_MS);
      expect.soft(signIn.html).toContain(`value="${owner.email}"`);
      expect.soft(tip.took).toBeLessThan(CALL_MS + MORE_MS);
      expectKept(tip.html);
    } finally {
      line.setMode('passes');
    }
    await expect.poll(async () => (await visitor.get('/account')).status, { timeout: 20_000 }).toBe(200);
    const headline = `After it ${manner}`;
    await newsroom.publish({ headline });
    await expect
      .poll(async () => (await fetch(site.url + live)).text(), { timeout: 40_000, interval: 200 })
      .toContain(headline);
  },
);

test('when nobody answers, a page is served as it was; one that nobody has seen says so in words', async () => {
  const seen = await (await fetch(`${site.url}/about`)).text();
  await proxy.close();
  const kept = await fetch(`${site.url}/about`);
  expect(kept.status).toBe(200);
  expect(await kept.text()).toBe(seen);
  for (const path of [`${live}/4`, `${live}?show=key&before=2`, '/people/nobody', '/privacy']) {
    const response = await fetch(`${site.url}${path}`);
    expect(response.status, path).toBe(503);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('retry-after')).toBe('30');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'self'");
    const html = await response.text();
    expect(html).toContain('We cannot fetch this page just now');
    expect(html).not.toMatch(/fetch failed|ECONNREFUSED|\/rest\/v1|at async|Error:/);
  }
});
