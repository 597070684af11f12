import { describe, expect, test, vi } from 'vitest';
import {
  CHANGES,
  cache,
  fill,
  last,
  openCache,
  PAGE,
  renderings,
  request,
  settle,
  useCache,
} from './cache-context.ts';

useCache();

const RELOAD = { isReload: true };

describe('a page that was invalidated', () => {
  test('is served for half a second while its new version is rendered, and then no longer', async () => {
    await fill('old');
    cache.purge(['coverage:1'], 'stale');
    await vi.advanceTimersByTimeAsync(499);
    const soon = request();
    await settle();
    expect(soon.text).toBe('old');
    await vi.advanceTimersByTimeAsync(1);
    const late = request();
    await settle();
    expect(late).toEqual({});
    last().answer('new');
    await settle();
    expect(late.text).toBe('new');
    expect(renderings).toHaveLength(2);
  });

  test('is never served after its content was removed', async () => {
    await fill('old');
    cache.purge(['coverage:1'], 'stale');
    cache.purge(['coverage:1'], 'gone');
    const answer = request();
    await settle();
    expect(answer).toEqual({});
  });

  test('is not served to a client that reloads it', async () => {
    await fill('old');
    cache.purge(['coverage:1'], 'stale');
    const answer = request('/a', RELOAD);
    await settle();
    expect(answer).toEqual({});
    last().answer('new');
    await settle();
    expect(answer.text).toBe('new');
  });

  test('is not served when it may not be revalidated, as changes and search results', async () => {
    for (const control of [CHANGES, PAGE.replace('stale-while-revalidate=20, ', '')]) {
      await fill('old', { key: control, control });
      cache.purge(['coverage:1'], 'stale');
      const answer = request(control);
      await settle();
      expect(answer).toEqual({});
      last().answer('new');
      await settle();
    }
  });

  test('is not served when it had expired', async () => {
    await fill('old');
    await vi.advanceTimersByTimeAsync(30_000);
    cache.purge(['coverage:1'], 'stale');
    const answer = request();
    await settle();
    expect(answer).toEqual({});
  });

  test('is served until half a second after its first invalidation, however many follow', async () => {
    await fill('old');
    for (let n = 0; n < 5; n++) {
      cache.purge(['coverage:1'], 'stale');
      await vi.advanceTimersByTimeAsync(100);
    }
    const answer = request();
    await settle();
    expect(answer).toEqual({});
  });

  test('is served as it was rendered last, although it was invalidated during the rendering', async () => {
    await fill('first');
    cache.purge(['coverage:1'], 'stale');
    await vi.advanceTimersByTimeAsync(400);
    cache.purge(['coverage:1'], 'stale');
    await vi.advanceTimersByTimeAsync(100);
    cache.purge(['coverage:1'], 'stale');
    last().answer('second');
    await vi.advanceTimersByTimeAsync(399);
    const soon = request();
    await settle();
    expect(soon.text).toBe('second');
    await vi.advanceTimersByTimeAsync(1);
    const late = request();
    await settle();
    expect(late).toEqual({});
  });

  test('is not served when its content was removed during the rendering', async () => {
    const before = request();
    await settle();
    cache.purge(['coverage:1'], 'stale');
    cache.purge(['coverage:1'], 'gone');
    last().answer('removed');
    await settle();
    last().answer('kept');
    await settle();
    expect(before.text).toBe('kept');
  });
});

test('serves no changes that were invalidated during their rendering, also when the next one fails', async () => {
  request('/changes');
  await settle();
  cache.purge(['coverage:1'], 'stale');
  last().answer('old', { control: CHANGES });
  await settle();
  last().fail(new Error('The backend does not answer.'));
  await settle();
  const answer = request('/changes');
  await settle();
  expect(answer.text).toBeUndefined();
});

test('renders a page once that a reader and a refresh want', async () => {
  openCache({ refreshes: 1 });
  for (const key of ['/a', '/b']) await fill(key, { key });
  cache.purgeAll('stale');
  await settle();
  request('/a');
  await settle();
  const [refresh, read] = renderings.slice(2);
  expect([refresh?.key, read?.key]).toEqual(['/b', '/a']);
  read?.answer('new');
  await settle();
  refresh?.answer('new');
  await settle();
  expect(renderings).toHaveLength(4);
});
