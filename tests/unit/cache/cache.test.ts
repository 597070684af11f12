import { expect, test, vi } from 'vitest';
import { NotRendered } from '../../../src/lib/server/page-cache/renderings.ts';
import {
  CHANGES,
  cache,
  fill,
  last,
  openCache,
  PAGE,
  type Rendering,
  renderings,
  request,
  settle,
  useCache,
} from './cache-context.ts';

useCache();

test('renders once for concurrent requests, and serves the copy while it is fresh', async () => {
  const answers = [request(), request(), request()];
  await settle();
  expect(renderings).toHaveLength(1);
  last().answer('one');
  await settle();
  expect(answers.map(({ text }) => text)).toEqual(['one', 'one', 'one']);
  await vi.advanceTimersByTimeAsync(9_999);
  expect(cache.lookup('/a')?.bodies.identity.toString()).toBe('one');
  const later = request();
  await settle();
  expect(later.text).toBe('one');
  expect(renderings).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(cache.lookup('/a')).toBeUndefined();
});

test('serves a stale copy while one rendering runs, as long as the policy allows', async () => {
  await fill('one');
  await vi.advanceTimersByTimeAsync(29_999);
  const answers = [request(), request()];
  await settle();
  expect(answers.map(({ text }) => text)).toEqual(['one', 'one']);
  expect(renderings).toHaveLength(2);
  last().answer('two');
  await settle();
  expect(cache.lookup('/a')?.bodies.identity.toString()).toBe('two');
  await vi.advanceTimersByTimeAsync(30_000);
  const late = request();
  await settle();
  expect(late).toEqual({});
});

test.for([-3_600_000, 3_600_000])('keeps the age of copies when the clock changes by %i ms', async (step) => {
  await fill('one');
  vi.setSystemTime(Date.now() + step);
  expect(cache.lookup('/a')).toBeDefined();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(cache.lookup('/a')).toBeUndefined();
  cache.purge(['coverage:1'], 'gone');
  request();
  await settle();
  last().fail(new Error('down'));
  await settle();
  vi.setSystemTime(Date.now() + step);
  renderings.length = 0;
  await vi.advanceTimersByTimeAsync(1_000);
  await fill('two');
});

test('never serves a stale copy if the policy forbids it', async () => {
  await fill('one', { control: CHANGES });
  await vi.advanceTimersByTimeAsync(2_000);
  const later = request();
  await settle();
  expect(later).toEqual({});
  last().fail(new Error('down'));
  await settle();
  expect(later).toEqual({ error: new Error('down') });
});

test.for(['stale', 'gone'] as const)('does not serve invalidated copies (%s)', async (how) => {
  await fill('one');
  await fill('other', { key: '/b', tags: 'site,coverage:2' });
  cache.purge(['coverage:1'], how);
  expect(cache.lookup('/a')).toBeUndefined();
  expect(cache.lookup('/b')).toBeDefined();
  const later = request('/a', { isReload: true });
  await settle();
  expect(later).toEqual({});
  last().answer('two');
  await settle();
  expect(later.text).toBe('two');
  cache.purgeAll(how);
  expect(cache.lookup('/a') ?? cache.lookup('/b')).toBeUndefined();
});

test('serves a rendering from before a change only to requests from before it, and does not store it', async () => {
  const before = request();
  await settle();
  const old = last();
  cache.purge(['coverage:1'], 'stale');
  const after = request();
  await settle();
  expect(renderings).toHaveLength(2);
  const young = last();
  young.answer('two');
  await settle();
  old.answer('one');
  await settle();
  expect([before.text, after.text]).toEqual(['one', 'two']);
  expect(cache.lookup('/a')?.bodies.identity.toString()).toBe('two');
});

test('stores a rendering without the changed tags, but not over a later one', async () => {
  const before = request();
  await settle();
  const old = last();
  cache.purge(['coverage:2'], 'stale');
  request();
  await settle();
  expect(renderings).toHaveLength(2);
  last().answer('two');
  await settle();
  old.answer('one');
  await settle();
  expect(before.text).toBe('one');
  expect(cache.lookup('/a')?.bodies.identity.toString()).toBe('two');

  request('/b');
  await settle();
  cache.purge(['coverage:2'], 'stale');
  last().answer('stored');
  await settle();
  expect(cache.lookup('/b')?.bodies.identity.toString()).toBe('stored');

  request('/c');
  await settle();
  cache.purgeAll('stale');
  last().answer('not stored');
  await settle();
  expect(cache.lookup('/c')).toBeUndefined();
});

test.for([
  ['throws', (rendering: Rendering) => rendering.fail(new Error('down'))],
  ['answers 503', (rendering: Rendering) => rendering.answer('down', { status: 503, control: 'no-store' })],
  ['takes too long', () => vi.advanceTimersByTime(10_000)],
] as const)(
  'serves the last copy for one day when a rendering %s, unless the copy was purged as gone',
  async ([_, fail]) => {
    await fill('one');
    cache.purge(['coverage:1'], 'stale');
    const answer = request();
    await settle();
    fail(last());
    await settle();
    expect(answer.text).toBe('one');
    await vi.advanceTimersByTimeAsync(86_000_000);
    const dayAfter = request();
    await settle();
    fail(last());
    await settle();
    expect(dayAfter.text).toBe('one');
    await vi.advanceTimersByTimeAsync(1_000);
    cache.purge(['coverage:1'], 'gone');
    const gone = request();
    await settle();
    fail(last());
    await settle();
    expect(gone.text ?? 'nothing').not.toBe('one');
  },
);

test('does not use copies older than a day', async () => {
  await fill('one');
  await vi.advanceTimersByTimeAsync(86_410_000);
  const answer = request();
  await settle();
  last().fail(new Error('down'));
  await settle();
  expect(answer).toEqual({ error: new Error('down') });
});

test('remembers a failure for a second, or until an invalidation', async () => {
  request();
  await settle();
  last().answer('down', { status: 503, control: 'no-store' });
  await vi.advanceTimersByTimeAsync(999);
  const again = request();
  await settle();
  expect(renderings).toHaveLength(1);
  expect(again).toEqual({ text: 'down', status: 503 });
  cache.purge(['coverage:2'], 'stale');
  request();
  await settle();
  expect(renderings).toHaveLength(2);
  // It started before the change, so it does not tell about the state after it.
  cache.purge(['coverage:2'], 'stale');
  last().fail(new Error('down'));
  await settle();
  request();
  await settle();
  expect(renderings).toHaveLength(3);
  last().fail(new Error('down'));
  await vi.advanceTimersByTimeAsync(1_000);
  await fill('one');
});

test('serves stale copies while the backend hangs, and makes one attempt at a time', async () => {
  await fill('one');
  cache.purge(['coverage:1'], 'stale');
  const first = request('/a', { isReload: true });
  await vi.advanceTimersByTimeAsync(2_999);
  expect(first).toEqual({});
  await vi.advanceTimersByTimeAsync(1);
  expect(first.text).toBe('one');
  await vi.advanceTimersByTimeAsync(7_000);
  renderings.length = 0;
  for (let second = 0; second < 60; second++) {
    const answer = request();
    await settle();
    expect(answer.text).toBe('one');
    await vi.advanceTimersByTimeAsync(1_000);
  }
  // Each attempt takes 10 s and is followed by an equal pause.
  expect(renderings).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(10_000);
  request();
  await settle();
  last().answer('two');
  await settle();
  expect(cache.lookup('/a')?.bodies.identity.toString()).toBe('two');
});

test('without a copy, waits for a hanging backend at most half of the time', async () => {
  request();
  await vi.advanceTimersByTimeAsync(5_000);
  last().fail(new Error('no answer'));
  await vi.advanceTimersByTimeAsync(4_999);
  const soon = request();
  await settle();
  expect(soon).toEqual({ error: new Error('no answer') });
  await vi.advanceTimersByTimeAsync(1);
  const later = request();
  await settle();
  expect(renderings).toHaveLength(2);
  expect(later).toEqual({});
});

test.for([
  ['soon', 1, 1_000],
  ['late', 10_000, 30_000],
] as const)('waits for a new rendering again after a failure that came %s', async ([_, took, stands]) => {
  await fill('one');
  cache.purge(['coverage:1'], 'stale');
  request();
  await vi.advanceTimersByTimeAsync(took);
  last().fail(new Error('down'));
  await vi.advanceTimersByTimeAsync(stands - 1);
  const before = request();
  await settle();
  expect(before.text).toBe('one');
  last().fail(new Error('down'));
  await vi.advanceTimersByTimeAsync(stands);
  const after = request();
  await settle();
  expect(after).toEqual({});
});

test('after an invalidation serves a stale copy only after another rendering has failed', async () => {
  await fill('one');
  cache.purge(['coverage:1'], 'stale');
  request();
  await vi.advanceTimersByTimeAsync(10_000);
  cache.purge(['coverage:1'], 'stale');
  const answer = request();
  await settle();
  expect(answer).toEqual({});
});

test.for([
  'no-store',
  'private, no-store',
  'private, s-maxage=60',
  'no-cache, s-maxage=60',
  'public, max-age=60',
  'public, s-maxage=60, no-cache',
  'public, s-maxage=60, no-store',
])('does not store a response with "%s"', async (control) => {
  await fill('one', { control });
  await fill('two', { control });
  expect(renderings).toHaveLength(2);
});

test('does not store errors or responses for one visitor, whatever their headers', async () => {
  await fill('one', { status: 500 });
  expect(cache.lookup('/a')).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1_000);
  openCache({
    render: async () => ({
      status: 200,
      headers: { 'cache-control': PAGE, 'set-cookie': 'a=b' },
      bodies: { identity: Buffer.from('yours') },
    }),
  });
  await cache.fetch('/a');
  expect(cache.lookup('/a')).toBeUndefined();
});

test.for([
  ['one of its tags', () => cache.purge(['coverage:1'], 'gone')],
  ['everything', () => cache.purgeAll('gone')],
] as const)('never serves a copy of removed content: %s', async ([_, purge]) => {
  const before = request();
  await settle();
  purge();
  last().answer('withdrawn');
  await settle();
  expect(before).toEqual({});
  expect(renderings).toHaveLength(2);
  last().answer('remaining');
  await settle();
  expect(before.text).toBe('remaining');
  expect(cache.lookup('/a')?.bodies.identity.toString()).toBe('remaining');
});

test('limits renderings of content that is removed repeatedly', async () => {
  const before = request();
  await settle();
  for (let n = 1; n <= 10; n++) {
    expect(renderings).toHaveLength(n);
    expect(before).toEqual({});
    cache.purge(['coverage:1'], 'gone');
    last().answer('withdrawn');
    await vi.advanceTimersByTimeAsync(1_000);
  }
  cache.purge(['coverage:1'], 'gone');
  last().answer('withdrawn');
  await settle();
  expect(before.error).toBeInstanceOf(NotRendered);
});

test('keeps the most recently used copies within a size limit', async () => {
  openCache({ maxBytes: 100_000 });
  const page = 'x'.repeat(9_000);
  for (let n = 0; n < 30; n++) {
    await fill(page, { key: `/${n}`, tags: `coverage:${n}` });
    expect(cache.lookup('/0')).toBeDefined();
  }
  expect(cache.size()).toMatchObject({ copies: 8, tags: 8 });
  expect(cache.size().bytes).toBeLessThanOrEqual(100_000);
  await fill('x'.repeat(20_000), { key: '/large' });
  expect(cache.lookup('/large')).toBeUndefined();
  cache.purgeAll('gone');
  expect(cache.size()).toMatchObject({ bytes: 0, copies: 0, tags: 0 });
});
