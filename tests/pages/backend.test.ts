import { afterAll, beforeAll, expect, test } from 'vitest';
import { serviceClient, startBackend, type TestBackend } from '../support/backend.ts';
import { type CountingProxy, startCountingProxy } from '../support/counting-proxy.ts';
import { hireEveryone, type Newsroom, openCoverage, paragraph, type Saved } from '../support/newsroom.ts';
import { startSite, type TestSite } from '../support/site.ts';

let backend: TestBackend;
let proxy: CountingProxy;
let site: TestSite;
let newsroom: Newsroom;
let pinned: Saved;
let live: string;

beforeAll(async () => {
  backend = await startBackend();
  proxy = await startCountingProxy(backend.url);
  site = await startSite({
    environment: {
      PUBLIC_SUPABASE_URL: proxy.url,
      PUBLIC_SUPABASE_PUBLISHABLE_KEY: backend.publishableKey,
      SUPABASE_SECRET_KEY: backend.secretKey,
    },
  });
  newsroom = await openCoverage(await hireEveryone({ ...backend, service: serviceClient(backend) }));
  live = `/live/${newsroom.coverage.slug}`;
  pinned = await newsroom.publish({ headline: 'Pinned', key_event: true });
  for (let n = 1; n < 22; n++) await newsroom.publish({ body: [paragraph('A line.')] });
  await newsroom.pin(pinned);
});
afterAll(async () => {
  await site.stop();
  await backend.stop();
});

/** How many questions a page asks of the backend. */
async function questions(path: string, status = 200, headers: Record<string, string> = {}): Promise<number> {
  proxy.calls();
  const response = await fetch(`${site.url}${path}`, { redirect: 'manual', headers });
  expect(response.status, path).toBe(status);
  await response.arrayBuffer();
  return proxy.calls().length;
}

test('a page costs few questions', async () => {
  // Coverage and site; then updates, pinned update and key events at once.
  expect(await questions(live)).toBe(5);
  expect(await questions(`${live}?before=11`)).toBe(3);
  expect(await questions(`${live}?order=oldest`)).toBe(3);
  expect(await questions(`${live}?show=key`)).toBe(3);
  expect(await questions(`${live}/2`)).toBe(3);
  expect(await questions('/')).toBe(2);
  expect(await questions(`/people/${newsroom.people.reporter.handle}`)).toBe(3);
  expect(await questions('/about')).toBe(1);
});

test('notes are asked for only where something was revised', async () => {
  await newsroom.correct(pinned, { headline: 'Pinned' }, 'It was otherwise.');
  expect(await questions(`${live}/1`)).toBe(4);
  expect(await questions(`${live}/2`)).toBe(3);
});

test('where there is no page, less is asked; nothing where there cannot be one', async () => {
  // Where a slug once led is asked as well, so that a renamed coverage is found.
  expect(await questions('/live/never-was', 404)).toBe(3);
  expect(await questions('/live/No_Slug', 404)).toBe(1);
  expect(await questions(`${live}?before=5`, 301)).toBe(2);
  expect(await questions('/never-was', 404)).toBe(0);
});

test('who holds the page already costs no more than it takes to know', async () => {
  const etag = (await fetch(`${site.url}${live}`)).headers.get('etag') ?? '';
  expect(await questions(live, 304, { 'If-None-Match': etag })).toBe(2);
});

test('a live page may open a socket to the backend, and a page that needs none may not', async () => {
  const policy = async (path: string) =>
    (await fetch(`${site.url}${path}`)).headers.get('content-security-policy');
  expect(await policy(live)).toContain(`connect-src 'self' ${proxy.url} ${proxy.url.replace('http', 'ws')};`);
  expect(await policy('/')).not.toContain('connect-src');
});

test('when nobody answers, every page says so in words, and nothing of the inside', async () => {
  await proxy.close();
  for (const path of ['/', live, `${live}/1`, '/about', '/topics/none']) {
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
