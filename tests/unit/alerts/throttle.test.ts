import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { throttle } from '../../../supabase/functions/deliver-alerts/deliver.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('runs jobs in sequence, each followed by a pause of six times its duration, within limits', async () => {
  const throttled = throttle();
  const log: string[] = [];
  const work = (name: string, ms: number) =>
    throttled(async () => {
      log.push(`${name} at ${performance.now()}`);
      await new Promise((resolve) => setTimeout(resolve, ms));
      if (name === 'b') throw new Error('b failed');
      return name;
    });
  const start = performance.now();
  const all = Promise.allSettled([work('a', 10), work('b', 20), work('c', 1_000), work('d', 1)]);
  await vi.runAllTimersAsync();
  expect(log).toEqual(
    [0, 10 + 60, 70 + 20 + 120, 210 + 1_000 + 250].map((at, index) => `${'abcd'[index]} at ${start + at}`),
  );
  expect(await all).toMatchObject([
    { value: 'a' },
    { reason: expect.any(Error) },
    { value: 'c' },
    { value: 'd' },
  ]);
});

test('aborts a job that does not end, so that later jobs can run', async () => {
  const throttled = throttle();
  let receivedSignal: AbortSignal | undefined;
  const first = throttled((signal) => {
    receivedSignal = signal;
    return new Promise<never>(() => {});
  });
  const refused = expect(first).rejects.toThrow('did not answer in time');
  const second = throttled(() => Promise.resolve('answered'));
  await vi.advanceTimersByTimeAsync(14_999);
  expect(receivedSignal?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1 + 250);
  await refused;
  expect(receivedSignal?.aborted).toBe(true);
  expect(await second).toBe('answered');
  expect(vi.getTimerCount()).toBe(0);
});
