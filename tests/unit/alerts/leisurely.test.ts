import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { leisurely } from '../../../supabase/functions/deliver-alerts/leisurely.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('one piece of work after the other, each followed by a rest six times as long as it took, within bounds', async () => {
  const inTurn = leisurely();
  const log: string[] = [];
  const work = (name: string, ms: number) =>
    inTurn(async () => {
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
