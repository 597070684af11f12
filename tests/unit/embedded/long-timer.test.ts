import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { afterLong, LONGEST_TIMER_MS } from '../../../packages/embedded-supabase/src/timers.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const YEARS = 3 * 365 * 86_400_000;

test('what is years away comes when it is time, and no timer is asked for more than there is', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const run = vi.fn();
  afterLong(YEARS, run);
  await vi.advanceTimersByTimeAsync(YEARS - 1);
  expect(run).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(run).toHaveBeenCalledOnce();
  expect(Math.max(...timers.mock.calls.map(([, ms]) => ms ?? 0))).toBe(LONGEST_TIMER_MS);
  expect(vi.getTimerCount()).toBe(0);
});

test.each([-5_000, 0, 20])('what is over or soon comes at once or soon: %i', (ms) => {
  const run = vi.fn();
  afterLong(ms, run);
  vi.advanceTimersByTime(20);
  expect(run).toHaveBeenCalledOnce();
});

test('stopped in any of its parts it never comes', () => {
  const run = vi.fn();
  const timer = afterLong(YEARS, run);
  vi.advanceTimersByTime(2 * LONGEST_TIMER_MS + 5);
  timer.stop();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(YEARS);
  expect(run).not.toHaveBeenCalled();
});
