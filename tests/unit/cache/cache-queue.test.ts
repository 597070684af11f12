import { expect, test, vi } from 'vitest';
import { NotRendered } from '../../../src/lib/server/page-cache/renderings.ts';
import {
  CHANGES,
  cache,
  fill,
  last,
  openCache,
  renderings,
  request,
  settle,
  useCache,
} from './cache-context.ts';

useCache();

const renderedKeys = () => renderings.map(({ key }) => key);

test('reserves half of the slots for pages with several waiters, and renders the most awaited first', async () => {
  openCache({ concurrency: 4 });
  for (const key of ['/1', '/2', '/3', '/4', '/4', '/5', '/5']) request(key);
  await settle();
  expect(renderedKeys()).toEqual(['/1', '/2', '/4', '/5']);
  for (const key of ['/6', '/6', '/7', '/7', '/7']) request(key);
  for (const done of [0, 1, 2]) {
    renderings[done]?.answer('done');
    await settle();
  }
  expect(renderedKeys()).toEqual(['/1', '/2', '/4', '/5', '/7', '/6', '/3']);
});

test('renders known pages before unknown ones', async () => {
  openCache({ concurrency: 2 });
  await fill('known', { key: '/known', control: CHANGES });
  await vi.advanceTimersByTimeAsync(2_000);
  renderings.length = 0;
  request('/1');
  request('/2');
  request('/known');
  await settle();
  expect(renderedKeys()).toEqual(['/1', '/known']);
});

test('queues a limited number, and rejects the least awaited', async () => {
  openCache({ concurrency: 2, capacity: 2 });
  await fill('known', { key: '/known', control: CHANGES });
  await vi.advanceTimersByTimeAsync(2_000);
  renderings.length = 0;
  const keys = ['/1', '/2', '/3', '/4', '/4', '/5', '/6', '/known'];
  const answers = keys.map((key) => request(key));
  await settle();
  expect(keys.filter((_, n) => answers[n]?.error instanceof NotRendered)).toEqual(['/2', '/3', '/5']);
  expect(renderedKeys()).toEqual(['/1', '/4']);
  for (let n = 0; n < 4; n++) {
    for (const { answer } of [...renderings]) answer('done');
    await settle();
  }
  expect(renderedKeys()).toEqual(['/1', '/4', '/known', '/6']);
});

test('keeps pages with many waiters in the queue', async () => {
  openCache({ concurrency: 1, capacity: 2 });
  const keys = ['/1', '/2', '/2', '/2', '/3', '/4'];
  const answers = keys.map((key) => request(key));
  await settle();
  expect(keys.filter((_, n) => answers[n]?.error)).toEqual(['/3']);
});

test('limits waiting in the queue to the time limit of a rendering', async () => {
  openCache({ concurrency: 1, timeoutMs: 10_000 });
  await fill('known', { key: '/known', tags: 'coverage:2' });
  cache.purge(['coverage:2'], 'stale');
  request('/1');
  await vi.advanceTimersByTimeAsync(1_000);
  // The page with more waiters gets the next slot.
  for (let n = 0; n < 3; n++) request('/2');
  const [unknown, known] = [request('/3'), request('/known')];
  await vi.advanceTimersByTimeAsync(9_999);
  expect([renderedKeys().at(-1), unknown, known]).toEqual(['/2', {}, { text: 'known', status: 200 }]);
  await vi.advanceTimersByTimeAsync(1);
  expect(unknown.error).toBeInstanceOf(NotRendered);
});

test('serves a stale copy after three seconds of waiting, but never removed content', async () => {
  await fill('known', { tags: 'coverage:1' });
  await fill('other', { key: '/b', tags: 'coverage:2' });
  cache.purge(['coverage:1', 'coverage:2'], 'stale');
  const [known, gone] = ['/a', '/b'].map((key) => request(key, { isReload: true }));
  await vi.advanceTimersByTimeAsync(2_999);
  expect([known, gone]).toEqual([{}, {}]);
  cache.purge(['coverage:2'], 'gone');
  await vi.advanceTimersByTimeAsync(1);
  expect([known?.text, gone?.text]).toEqual(['known', undefined]);
  // The finished rendering serves later requests.
  renderings.findLast(({ key }) => key === '/a')?.answer('new');
  await settle();
  expect(cache.lookup('/a')?.bodies.identity.toString()).toBe('new');
});

test('shares a queued rendering with requests from after a change', async () => {
  openCache({ concurrency: 1 });
  request('/1');
  const before = request('/2');
  await settle();
  cache.purge(['coverage:1'], 'stale');
  const after = request('/2');
  last().answer('one');
  await settle();
  expect(renderings.map(({ key }) => key)).toEqual(['/1', '/2']);
  last().answer('two');
  await settle();
  expect([before.text, after.text]).toEqual(['two', 'two']);
  expect(cache.lookup('/2')).toBeDefined();
});
