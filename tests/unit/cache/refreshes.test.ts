import { describe, expect, test, vi } from 'vitest';
import { cache, fill, last, openCache, renderings, request, settle, useCache } from './cache-context.ts';

useCache();

const rendered = () => renderings.map(({ key }) => key);

describe('an invalidated page that readers requested', () => {
  test('is rendered again before the next request, which does not wait', async () => {
    await fill('old');
    cache.purge(['coverage:1'], 'stale');
    await settle();
    expect(rendered()).toEqual(['/a', '/a']);
    last().answer('new');
    await settle();
    const answer = request();
    await settle();
    expect(answer.text).toBe('new');
    expect(renderings).toHaveLength(2);
  });

  test('is rendered again when its content was removed', async () => {
    await fill('old');
    cache.purge(['coverage:1'], 'gone');
    await settle();
    expect(renderings).toHaveLength(2);
    const answer = request();
    last().answer('new');
    await settle();
    expect(answer.text).toBe('new');
    expect(renderings).toHaveLength(2);
  });

  test('is rendered once more for any number of invalidations during its rendering', async () => {
    await fill('old');
    for (let n = 0; n < 10; n++) {
      cache.purge(['coverage:1'], 'stale');
      await settle();
    }
    expect(renderings).toHaveLength(2);
    last().answer('late');
    await settle();
    expect(renderings).toHaveLength(3);
    last().answer('newest');
    await settle();
    expect(renderings).toHaveLength(3);
    const answer = request();
    await settle();
    expect(answer.text).toBe('newest');
  });

  test('is rendered again when it was invalidated during the first rendering', async () => {
    const answer = request();
    await settle();
    cache.purge(['coverage:1'], 'stale');
    last().answer('old');
    await settle();
    expect(answer.text).toBe('old');
    expect(renderings).toHaveLength(2);
  });

  test('is left to the next request without a request for two minutes', async () => {
    await fill('old');
    await vi.advanceTimersByTimeAsync(121_000);
    cache.purge(['coverage:1'], 'stale');
    await settle();
    expect(renderings).toHaveLength(1);
  });

  test('is left to the next request when its rendering fails', async () => {
    await fill('old');
    cache.purge(['coverage:1'], 'stale');
    await settle();
    last().fail(new Error('The backend does not answer.'));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(renderings).toHaveLength(2);
    const answer = request();
    await settle();
    last().answer('new');
    await settle();
    expect(answer.text).toBe('new');
  });
});

test('refreshes two pages at once, the most recently requested first', async () => {
  for (const key of ['/a', '/b', '/c', '/d']) await fill(key, { key });
  request('/b');
  await settle();
  cache.purgeAll('stale');
  await settle();
  expect(rendered().slice(4)).toEqual(['/b', '/d']);
  last().answer('new');
  await settle();
  expect(rendered().slice(4)).toEqual(['/b', '/d', '/c']);
});

test('renders a page that a reader waits for before refreshes', async () => {
  openCache({ concurrency: 1 });
  for (const key of ['/a', '/b']) await fill(key, { key });
  cache.purgeAll('stale');
  await settle();
  request('/read');
  await settle();
  expect(rendered().slice(2)).toEqual(['/b']);
  last().answer('new');
  await settle();
  expect(rendered().slice(2)).toEqual(['/b', '/read']);
});

test('renders a page for the next request when the queue was too full to refresh it', async () => {
  openCache({ concurrency: 1, capacity: 1 });
  await fill('/a', { key: '/a' });
  request('/running');
  request('/waiting');
  await settle();
  cache.purgeAll('stale');
  await settle();
  for (const text of ['ran', 'waited']) {
    last().answer(text);
    await settle();
  }
  const answer = request('/a', { isReload: true });
  await settle();
  last().answer('new');
  await settle();
  expect(answer.text).toBe('new');
});

test('rejects no reader for a refresh when the queue is full', async () => {
  openCache({ concurrency: 1, capacity: 1 });
  await fill('/a', { key: '/a' });
  request('/running');
  const waiting = request('/waiting');
  await settle();
  cache.purgeAll('stale');
  await settle();
  expect(waiting.error).toBeUndefined();
  last().answer('ran');
  await settle();
  expect(rendered()).toEqual(['/a', '/running', '/waiting']);
});
