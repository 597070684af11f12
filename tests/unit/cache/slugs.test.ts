import { expect, test, vi } from 'vitest';
import { createSlugFilter } from '../../../src/lib/server/page-cache/middleware.ts';
import { NotRendered } from '../../../src/lib/server/page-cache/renderings.ts';

function open() {
  const clock = { now: 0 };
  const ask = vi.fn(async () => {});
  return { clock, ask, slugs: createSlugFilter(ask, () => clock.now) };
}

test('accepts any slug before the first comparison', async () => {
  const { slugs, ask } = open();
  expect(await slugs.mayExist('river')).toBe(true);
  expect(ask).not.toHaveBeenCalled();
});

test('answers known slugs at once, and asks for unknown ones every two seconds', async () => {
  const { slugs, ask, clock } = open();
  slugs.set(new Set(['river']));
  expect(await slugs.mayExist('river')).toBe(true);
  expect(ask).not.toHaveBeenCalled();
  expect(await Promise.all(['a', 'b', 'c'].map(slugs.mayExist))).toEqual([false, false, false]);
  clock.now = 1_999;
  expect(await slugs.mayExist('d')).toBe(false);
  expect(ask).toHaveBeenCalledTimes(1);
  clock.now = 2_000;
  expect(await slugs.mayExist('d')).toBe(false);
  expect(ask).toHaveBeenCalledTimes(2);
});

test('finds a coverage that has just gone live', async () => {
  const { slugs, ask } = open();
  slugs.set(new Set());
  ask.mockImplementation(async () => slugs.set(new Set(['river'])));
  expect(await slugs.mayExist('river')).toBe(true);
});

test('accepts any slug when the question fails, and asks again at once', async () => {
  const { slugs, ask } = open();
  slugs.set(new Set(['river']));
  ask.mockRejectedValueOnce(new Error('down'));
  expect(await slugs.mayExist('sea')).toBe(false);
  ask.mockImplementation(async () => slugs.set(null));
  expect(await slugs.mayExist('sea')).toBe(true);
  expect(ask).toHaveBeenCalledTimes(2);
});

test('waits briefly for a hanging backend, and later not at all', async () => {
  vi.useFakeTimers();
  const { promise, resolve } = Promise.withResolvers<void>();
  const ask = vi.fn(() => promise);
  const slugs = createSlugFilter(ask);
  slugs.set(new Set(['river']));
  const first = slugs.mayExist('sea').catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(1_999);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await first).toBeInstanceOf(NotRendered);
  slugs.set(null);
  const second = slugs.mayExist('sea').catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(0);
  expect(await second).toBeInstanceOf(NotRendered);
  expect(await slugs.mayExist('river')).toBe(true);
  expect(ask).toHaveBeenCalledTimes(1);
  resolve();
  vi.useRealTimers();
});

test('asks again after the clock was set back', async () => {
  vi.useFakeTimers();
  const ask = vi.fn(async () => {});
  const slugs = createSlugFilter(ask);
  slugs.set(new Set());
  await slugs.mayExist('sea');
  vi.setSystemTime(Date.now() - 3_600_000);
  await vi.advanceTimersByTimeAsync(2_000);
  await slugs.mayExist('sea');
  expect(ask).toHaveBeenCalledTimes(2);
  vi.useRealTimers();
});
