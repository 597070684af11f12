import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MAX_TIMER_DELAY_MS, setLongTimeout } from '../../../packages/embedded-supabase/src/timers.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const YEARS = 3 * 365 * 86_400_000;

test('fires after years, without exceeding the maximum of a timer', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const run = vi.fn();
  setLongTimeout(YEARS, run);
  await vi.advanceTimersByTimeAsync(YEARS - 1);
  expect(run).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(run).toHaveBeenCalledOnce();
  expect(Math.max(...timers.mock.calls.map(([, ms]) => ms ?? 0))).toBe(MAX_TIMER_DELAY_MS);
  expect(vi.getTimerCount()).toBe(0);
});

test.each([-5_000, 0, 20])('fires at once or soon for past or near times: %i', (ms) => {
  const run = vi.fn();
  setLongTimeout(ms, run);
  vi.advanceTimersByTime(20);
  expect(run).toHaveBeenCalledOnce();
});

test('can be stopped at any time', () => {
  const run = vi.fn();
  const timer = setLongTimeout(YEARS, run);
  vi.advanceTimersByTime(2 * MAX_TIMER_DELAY_MS + 5);
  timer.stop();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(YEARS);
  expect(run).not.toHaveBeenCalled();
});
