import { expect, test, vi } from 'vitest';
import { createSlugFilter } from '../../../src/lib/server/page-cache/middleware.ts';
import { NotRendered } from '../../../src/lib/server/page-cache/renderings.ts';

function open() {
  const clock = { now: 0 };
  const compare = vi.fn(async () => {});
  return { clock, compare, slugs: createSlugFilter(compare, () => clock.now) };
}

test('accepts any slug before the first comparison', async () => {
  const { slugs, compare } = open();
  expect(await slugs.mayExist('river')).toBe(true);
  expect(compare).not.toHaveBeenCalled();
});

test('answers known slugs at once, and asks for unknown ones every two seconds', async () => {
  const { slugs, compare, clock } = open();
  slugs.set(new Set(['river']));
  expect(await slugs.mayExist('river')).toBe(true);
  expect(compare).not.toHaveBeenCalled();
  expect(await Promise.all(['a', 'b', 'c'].map(slugs.mayExist))).toEqual([false, false, false]);
  clock.now = 1_999;
  expect(await slugs.mayExist('d')).toBe(false);
  expect(compare).toHaveBeenCalledTimes(1);
  clock.now = 2_000;
  expect(await slugs.mayExist('d')).toBe(false);
  expect(compare).toHaveBeenCalledTimes(2);
});

test('finds a coverage that has just gone live', async () => {
  const { slugs, compare } = open();
  slugs.set(new Set());
  compare.mockImplementation(async () => slugs.set(new Set(['river'])));
  expect(await slugs.mayExist('river')).toBe(true);
});

test('finds a renamed coverage by its redirect, before the message about its new slug arrives', async () => {
  const { slugs, compare } = open();
  slugs.set(new Set(['river']));
  expect(await slugs.mayExist('sea')).toBe(false);
  slugs.addRedirectTarget('sea');
  expect(await slugs.mayExist('sea')).toBe(true);
  slugs.set(new Set(['river', 'lake']));
  expect(await slugs.mayExist('sea')).toBe(true);
  slugs.set(new Set(['river', 'lake', 'sea']));
  slugs.set(new Set(['river', 'lake']));
  expect(await slugs.mayExist('sea')).toBe(false);
  expect(compare).toHaveBeenCalledTimes(1);
});

test('accepts any slug when the question fails, and asks again at once', async () => {
  const { slugs, compare } = open();
  slugs.set(new Set(['river']));
  compare.mockRejectedValueOnce(new Error('down'));
  expect(await slugs.mayExist('sea')).toBe(false);
  compare.mockImplementation(async () => slugs.set(null));
  expect(await slugs.mayExist('sea')).toBe(true);
  expect(compare).toHaveBeenCalledTimes(2);
});

test('waits briefly for a hanging backend, and later not at all', async () => {
  vi.useFakeTimers();
  const { promise, resolve } = Promise.withResolvers<void>();
  const compare = vi.fn(() => promise);
  const slugs = createSlugFilter(compare);
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
  expect(compare).toHaveBeenCalledTimes(1);
  resolve();
  vi.useRealTimers();
});

test('asks again after the clock was set back', async () => {
  vi.useFakeTimers();
  const compare = vi.fn(async () => {});
  const slugs = createSlugFilter(compare);
  slugs.set(new Set());
  await slugs.mayExist('sea');
  vi.setSystemTime(Date.now() - 3_600_000);
  await vi.advanceTimersByTimeAsync(2_000);
  await slugs.mayExist('sea');
  expect(compare).toHaveBeenCalledTimes(2);
  vi.useRealTimers();
});
