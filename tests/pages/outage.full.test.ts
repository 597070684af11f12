import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import { type ChangesResult, createPoller } from '../../src/islands/live-feed/polling.ts';
import { anonClient } from '../support/backend.ts';
import { signInWithCookies } from '../support/http-client.ts';
import { createLiveCoverage, type Newsroom } from '../support/newsroom.ts';
import type { TestSite } from '../support/site.ts';
import { test as base } from '../support/test.ts';

const test = base.extend('ownSite', true);

/** Time for a restart of the backend on a busy machine. */
const RECOVERY = { timeout: 30_000, interval: 100 };

const live = ({ coverage }: Newsroom, rest = '') => `/live/${coverage.slug}${rest}`;

async function get(site: TestSite, path: string, headers: Record<string, string> = {}) {
  const startedAt = performance.now();
  const response = await fetch(site.url + path, { headers });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    duration: performance.now() - startedAt,
  };
}

const statusOf = async (site: TestSite, path: string) => (await get(site, path)).status;
const textOf = async (site: TestSite, path: string) => (await get(site, path)).text;

async function pidOf({ data }: TestSite): Promise<number> {
  return (JSON.parse(await readFile(join(data, 'backend.json'), 'utf8')) as { pid: number }).pid;
}

/** Follows a coverage as an open page does, by checks or by socket, and records its state. */
function openReader(site: TestSite, newsroom: Newsroom, by: 'checks' | 'socket') {
  const reader = { seq: 1, failures: 0, isListening: false, joins: 0 };
  const follower = createPoller<ChangesResult>({
    seq: reader.seq,
    interval: 1,
    async fetchChanges(after, until) {
      const query = until > 0 ? `after=${after}&until=${until}` : `after=${after}`;
      const { status, headers, text } = await get(site, live(newsroom, `/changes?${query}`));
      if (status !== 200) throw new Error(`${status}`);
      const data = (name: string) =>
        new RegExp(`<div data-changes[^>]* data-${name}="([^"]*)"`).exec(text)?.[1];
      return {
        at: Date.parse(headers.get('date') ?? ''),
        through: Number(data('through')),
        more: data('more') === 'true',
        farBehind: data('reload') === 'true',
        interval: by === 'checks' ? 1 : 300,
      };
    },
    apply({ through }) {
      reader.seq = through;
    },
    onUpToDate() {
      reader.failures = 0;
    },
    onFailed(times) {
      reader.failures = times;
    },
    onWithdrawn: () => {},
    random: () => 1,
    isSlow: () => false,
  });
  const client = anonClient(site);
  if (by === 'socket') {
    client
      .channel(`coverage:${newsroom.coverage.id}`, { config: { private: true } })
      .on('broadcast', { event: 'change' }, ({ payload }) => follower.onChange({ ...payload, spread: 0 }))
      .subscribe((status) => {
        reader.isListening = status === 'SUBSCRIBED';
        if (reader.isListening) reader.joins++;
        follower.setListening(reader.isListening);
      });
  }
  follower.setAllowed(true);
  afterEach(async () => {
    follower.setAllowed(false);
    await client.realtime.disconnect();
  });
  return reader;
}

test('serves cached pages with their age while the backend is killed, and recovers automatically', {
  timeout: 90_000,
}, async ({ site, people, newsroom }) => {
  const other = await createLiveCoverage(people);
  const [byChecks, bySocket] = [openReader(site, newsroom, 'checks'), openReader(site, newsroom, 'socket')];
  await expect.poll(() => bySocket.isListening, RECOVERY).toBe(true);
  const { seq } = await newsroom.publish({ headline: 'Before the fall' });
  await expect.poll(() => textOf(site, live(newsroom)), RECOVERY).toContain('Before the fall');
  await expect.poll(() => [byChecks.seq, bySocket.seq], RECOVERY).toEqual([seq, seq]);
  const cached = await get(site, live(newsroom));

  process.kill(await pidOf(site), 'SIGKILL');
  await expect.poll(() => statusOf(site, live(newsroom, '/changes?after=0')), { interval: 20 }).toBe(503);
  const page = await get(site, live(newsroom));
  expect([page.status, page.text]).toEqual([200, cached.text]);
  expect(page.headers.get('date')).toBe(cached.headers.get('date'));
  const made = Date.parse(cached.headers.get('date') ?? '');
  expect(Number(page.headers.get('age'))).toBeGreaterThanOrEqual(Math.floor((Date.now() - made) / 1000) - 2);
  expect(await statusOf(site, live(other))).toBe(503);
  // 404 from the known sequences while those are current, and 503 afterwards.
  expect([404, 503]).toContain(await statusOf(site, '/live/never-was'));
  await expect.poll(() => bySocket.isListening, RECOVERY).toBe(false);

  await expect.poll(() => statusOf(site, live(other)), RECOVERY).toBe(200);
  await expect
    .poll(
      () =>
        site.service
          .from('site')
          .select('seq')
          .then(({ status }) => status),
      RECOVERY,
    )
    .toBe(200);
  const after = await newsroom.publish({ headline: 'After the fall' });
  await expect.poll(() => [byChecks.seq, bySocket.seq], RECOVERY).toEqual([after.seq, after.seq]);
  await expect.poll(() => [bySocket.isListening, bySocket.joins], RECOVERY).toEqual([true, 2]);
  // Cache invalidation has recovered too: the page contains the update.
  await expect.poll(() => textOf(site, live(newsroom)), RECOVERY).toContain('After the fall');
  const last = await newsroom.publish({ headline: 'And on' });
  await expect.poll(() => textOf(site, live(newsroom)), { timeout: 3_000 }).toContain('And on');
  await expect.poll(() => [byChecks.seq, bySocket.seq], RECOVERY).toEqual([last.seq, last.seq]);
});

test('serves cached pages at once while the backend hangs, and rejects other requests within seconds', {
  timeout: 90_000,
}, async ({ site, newsroom }) => {
  await newsroom.publish({ headline: 'Before the silence' });
  await expect.poll(() => textOf(site, live(newsroom)), RECOVERY).toContain('Before the silence');
  const cached = await get(site, live(newsroom));
  const editor = await signInWithCookies(site.url, newsroom.people.editor);
  const logged = site.errors().length;
  const pid = await pidOf(site);
  process.kill(pid, 'SIGSTOP');
  try {
    const [page, changes, unknown, search] = await Promise.all([
      get(site, live(newsroom)),
      get(site, live(newsroom, '/changes?after=1')),
      get(site, '/live/never-was'),
      get(site, '/search?q=silence'),
    ]);
    expect([page.status, page.text]).toEqual([200, cached.text]);
    expect(page.duration).toBeLessThan(1_000);
    expect(changes.status).toBe(503);
    expect(changes.duration).toBeLessThan(8_000);
    expect([unknown.status, unknown.headers.get('retry-after')]).toEqual([503, '5']);
    // The typed query stays in the form.
    expect([search.status, search.headers.get('retry-after')]).toEqual([503, '30']);
    expect(search.text).toMatch(/role="alert"[\s\S]*value="silence"/);
    // Two seconds, and a margin for a busy machine.
    expect(unknown.duration).toBeLessThan(4_000);
    await expect
      .poll(() => site.errors().slice(logged), RECOVERY)
      .toContain('Changes could not be fetched from the backend');
    expect(site.errors().slice(logged)).not.toMatch(/^\s+at /m);
    expect((await get(site, live(newsroom))).text).toBe(cached.text);
    const cookie = [...editor.cookies].map((one) => one.join('=')).join('; ');
    const [invite, desk] = await Promise.all([
      get(site, `/invites/${'x'.repeat(43)}`),
      get(site, '/desk', { cookie }),
    ]);
    expect([invite.status, desk.status]).toEqual([503, 503]);
    // Five seconds of a read, and a margin for a busy machine.
    expect(Math.max(invite.duration, desk.duration)).toBeLessThan(8_000);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await expect.poll(() => statusOf(site, '/live/never-was'), RECOVERY).toBe(404);
  await newsroom.publish({ headline: 'After the silence' });
  await expect.poll(() => textOf(site, live(newsroom)), RECOVERY).toContain('After the silence');
});
