import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import { type ChangesResult, createPoller } from '../../src/islands/live-feed/polling.ts';
import { anonClient } from '../support/backend.ts';
import { signInJar } from '../support/http-client.ts';
import { createLiveCoverage, type Newsroom } from '../support/newsroom.ts';
import type { TestSite } from '../support/site.ts';
import { test as base } from '../support/test.ts';

const test = base.extend('ownSite', true);

/** A backend that was killed is started again within seconds; a busy machine may take longer. */
const BACK = { timeout: 30_000, interval: 100 };

const live = ({ coverage }: Newsroom, rest = '') => `/live/${coverage.slug}${rest}`;

async function get(site: TestSite, path: string, headers: Record<string, string> = {}) {
  const began = performance.now();
  const response = await fetch(site.url + path, { headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, took: performance.now() - began };
}

const statusOf = async (site: TestSite, path: string) => (await get(site, path)).status;
const textOf = async (site: TestSite, path: string) => (await get(site, path)).text;

async function pidOf({ data }: TestSite): Promise<number> {
  return (JSON.parse(await readFile(join(data, 'backend.json'), 'utf8')) as { pid: number }).pid;
}

/** Follows a coverage as an open page does, by checks or by socket, and keeps what it is told. */
function openReader(site: TestSite, newsroom: Newsroom, by: 'checks' | 'socket') {
  const reader = { seq: 1, failures: 0, hears: false, joins: 0 };
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
        reader.hears = status === 'SUBSCRIBED';
        if (reader.hears) reader.joins++;
        follower.setListening(reader.hears);
      });
  }
  follower.setAllowed(true);
  afterEach(async () => {
    follower.setAllowed(false);
    await client.realtime.disconnect();
  });
  return reader;
}

test('a backend that is killed: what is kept is served with its age, nothing else is claimed, and everybody comes back by themselves', {
  timeout: 90_000,
}, async ({ site, people, newsroom }) => {
  const other = await createLiveCoverage(people);
  const [byChecks, bySocket] = [openReader(site, newsroom, 'checks'), openReader(site, newsroom, 'socket')];
  await expect.poll(() => bySocket.hears, BACK).toBe(true);
  const { seq } = await newsroom.publish({ headline: 'Before the fall' });
  await expect.poll(() => textOf(site, live(newsroom)), BACK).toContain('Before the fall');
  await expect.poll(() => [byChecks.seq, bySocket.seq], BACK).toEqual([seq, seq]);
  const kept = await get(site, live(newsroom));

  process.kill(await pidOf(site), 'SIGKILL');
  await expect.poll(() => statusOf(site, live(newsroom, '/changes?after=0')), { interval: 20 }).toBe(503);
  const page = await get(site, live(newsroom));
  expect([page.status, page.text]).toEqual([200, kept.text]);
  expect(page.headers.get('date')).toBe(kept.headers.get('date'));
  const made = Date.parse(kept.headers.get('date') ?? '');
  expect(Number(page.headers.get('age'))).toBeGreaterThanOrEqual(Math.floor((Date.now() - made) / 1000) - 2);
  expect(await statusOf(site, live(other))).toBe(503);
  // By memory while that is sure, and not at all afterwards.
  expect([404, 503]).toContain(await statusOf(site, '/live/never-was'));
  await expect.poll(() => bySocket.hears, BACK).toBe(false);

  await expect.poll(() => statusOf(site, live(other)), BACK).toBe(200);
  await expect
    .poll(
      () =>
        site.service
          .from('site')
          .select('seq')
          .then(({ status }) => status),
      BACK,
    )
    .toBe(200);
  const after = await newsroom.publish({ headline: 'After the fall' });
  await expect.poll(() => [byChecks.seq, bySocket.seq], BACK).toEqual([after.seq, after.seq]);
  await expect.poll(() => [bySocket.hears, bySocket.joins], BACK).toEqual([true, 2]);
  // The watch hears again too: nothing on this page is older than a message.
  await expect.poll(() => textOf(site, live(newsroom)), BACK).toContain('After the fall');
  const last = await newsroom.publish({ headline: 'And on' });
  await expect.poll(() => textOf(site, live(newsroom)), { timeout: 3_000 }).toContain('And on');
  await expect.poll(() => [byChecks.seq, bySocket.seq], BACK).toEqual([last.seq, last.seq]);
});

test('a backend that stands still: what is kept comes at once, all else is refused within seconds', {
  timeout: 90_000,
}, async ({ site, newsroom }) => {
  await newsroom.publish({ headline: 'Before the silence' });
  await expect.poll(() => textOf(site, live(newsroom)), BACK).toContain('Before the silence');
  const kept = await get(site, live(newsroom));
  const editor = await signInJar(site.url, newsroom.people.editor);
  const said = site.errors().length;
  const pid = await pidOf(site);
  process.kill(pid, 'SIGSTOP');
  try {
    const [page, changes, unknown, search] = await Promise.all([
      get(site, live(newsroom)),
      get(site, live(newsroom, '/changes?after=1')),
      get(site, '/live/never-was'),
      get(site, '/search?q=silence'),
    ]);
    expect([page.status, page.text]).toEqual([200, kept.text]);
    expect(page.took).toBeLessThan(1_000);
    expect(changes.status).toBe(503);
    expect(changes.took).toBeLessThan(8_000);
    expect([unknown.status, unknown.headers.get('retry-after')]).toEqual([503, '5']);
    // Nothing has to be typed again.
    expect([search.status, search.headers.get('retry-after')]).toEqual([503, '30']);
    expect(search.text).toMatch(/role="alert"[\s\S]*value="silence"/);
    // Two seconds, and what a busy machine adds.
    expect(unknown.took).toBeLessThan(4_000);
    await expect.poll(() => site.errors().slice(said), BACK).toContain('could not be asked what has changed');
    expect(site.errors().slice(said)).not.toMatch(/^\s+at /m);
    expect((await get(site, live(newsroom))).text).toBe(kept.text);
    const cookie = [...editor.cookies].map((one) => one.join('=')).join('; ');
    const [invite, desk] = await Promise.all([
      get(site, `/invites/${'x'.repeat(43)}`),
      get(site, '/desk', { cookie }),
    ]);
    expect([invite.status, desk.status]).toEqual([503, 503]);
    // One question's five seconds, and what a busy machine adds.
    expect(Math.max(invite.took, desk.took)).toBeLessThan(8_000);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await expect.poll(() => statusOf(site, '/live/never-was'), BACK).toBe(404);
  await newsroom.publish({ headline: 'After the silence' });
  await expect.poll(() => textOf(site, live(newsroom)), BACK).toContain('After the silence');
});
