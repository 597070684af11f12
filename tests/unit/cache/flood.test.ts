import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { cacheControl } from '../../../src/lib/http/cache-policy.ts';
import { type Cache, createCache } from '../../../src/lib/server/page-cache/cache.ts';
import type { RenderedResponse } from '../../../src/lib/server/page-cache/cached-response.ts';

/** Duration of a rendering on a busy backend, in ms of the fake clock. */
const RENDERING_MS = 30;
/** Requests for made-up URLs per millisecond. */
const FLOOD = 2;

let cache: Cache;
let flooding: ReturnType<typeof setInterval>;
let made = 0;

beforeEach(() => {
  vi.useFakeTimers();
  cache = createCache({ render });
});
afterEach(() => {
  clearInterval(flooding);
  vi.useRealTimers();
});

async function render(key: string): Promise<RenderedResponse> {
  await new Promise((resolve) => setTimeout(resolve, RENDERING_MS));
  return {
    status: 200,
    headers: {
      'cache-control': cacheControl(key.includes('/changes') ? 'changes' : 'page'),
      'cache-tag': 'site,coverage:1',
    },
    bodies: { identity: Buffer.from(key) },
  };
}

/** Requests made-up URLs, each of them repeatedly. */
async function flood(times: number) {
  flooding = setInterval(() => {
    for (let n = 0; n < FLOOD; n++) {
      const address = Math.floor(made++ / times);
      cache.fetch(`/live/river?before=${address}`).catch(() => undefined);
    }
  }, 1);
  await vi.advanceTimersByTimeAsync(500);
}

/** 200 people request a page within a second. */
async function crowd(key: string) {
  let answered = 0;
  for (let n = 0; n < 200; n++) {
    cache.fetch(key).then(
      () => answered++,
      () => undefined,
    );
    await vi.advanceTimersByTimeAsync(5);
  }
  return answered;
}

test.for([1, 2, 3])(
  'serves popular pages while a client requests each of many made-up addresses %i times',
  async (times) => {
    await flood(times);
    expect(await crowd('/live/river/changes?after=1&until=2')).toBe(200);
    cache.purge(['coverage:1'], 'stale');
    expect(await crowd('/live/river/changes?after=2&until=3')).toBe(200);
    cache.purgeAll('gone');
    expect(await crowd('/')).toBe(200);
  },
);

test('accepts a rejected request again when the queue has space', async () => {
  await flood(1);
  const refused = vi.fn();
  // A single request among many.
  cache.fetch('/about').catch(refused);
  await vi.advanceTimersByTimeAsync(150);
  expect(refused).toHaveBeenCalledOnce();
  clearInterval(flooding);
  const answered = cache.fetch('/about');
  await vi.advanceTimersByTimeAsync(5_000);
  expect((await answered).bodies.identity.toString()).toBe('/about');
});

test('does not delay pages with a single waiter of other clients', async () => {
  flooding = setInterval(() => {
    for (let n = 0; n < FLOOD; n++)
      cache.fetch(`/live/river?before=${made++}`, { client: '192.0.2.66' }).catch(() => undefined);
  }, 1);
  await vi.advanceTimersByTimeAsync(500);
  for (let n = 0; n < 20; n++) {
    const answered = vi.fn();
    cache.fetch(`/live/old-${n}`, { client: '192.0.2.1' }).then(answered, () => undefined);
    await vi.advanceTimersByTimeAsync(3 * RENDERING_MS);
    expect(answered).toHaveBeenCalledOnce();
  }
});
