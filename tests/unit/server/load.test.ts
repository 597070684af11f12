import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SERVER } from '../../../src/lib/i18n/cli.ts';
import { monitorLoad } from '../../../src/lib/server/load.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A process whose load is in our hands, which says that it is loaded from 80 percent on. */
function scene(at = 80) {
  let load = 0;
  let told = 0;
  const tell = vi.fn(async () => void told++);
  const stop = monitorLoad({ threshold: at, report: tell, measure: () => load, now: () => Date.now() });
  return {
    tell,
    stop,
    /** How often it was said during so many seconds under a load. */
    async during(seconds: number, percent: number) {
      load = percent / 100;
      told = 0;
      await vi.advanceTimersByTimeAsync(1000 * seconds);
      return told;
    },
  };
}

test('a load is said when it has lasted a quarter of a minute, not in bursts', async () => {
  const { during } = scene();
  for (let burst = 0; burst < 5; burst++) {
    expect(await during(10, 100)).toBe(0);
    expect(await during(5, 79)).toBe(0);
  }
  expect(await during(10, 80)).toBe(0);
  expect(await during(5, 80)).toBe(1);
});

test('it is said again while half of the bound is there, until two minutes have passed without', async () => {
  const { during } = scene();
  await during(15, 90);
  expect(await during(300, 40)).toBe(10);
  // A lull of less than two minutes does not end it.
  expect(await during(100, 39)).toBe(0);
  expect(await during(30, 40)).toBe(1);
  expect(await during(120, 39)).toBe(0);
  expect(await during(300, 79)).toBe(0);
  expect(await during(15, 80)).toBe(1);
});

test('what could not be said is tried again at the next look, and complained of once', async () => {
  const complain = vi.spyOn(console, 'error').mockReturnValue();
  const { tell, during } = scene();
  tell.mockRejectedValueOnce(new Error('away')).mockRejectedValueOnce(new Error('away'));
  expect(await during(20, 100)).toBe(0);
  expect(await during(5, 100)).toBe(1);
  expect(complain.mock.calls).toEqual([[SERVER.overloadNotReported('away')]]);
});

test('while it is being said it is not said again, and after the end never', async () => {
  const { tell, during, stop } = scene();
  tell.mockReturnValueOnce(new Promise(() => {}));
  await during(300, 100);
  expect(tell).toHaveBeenCalledTimes(1);
  stop();
  const other = scene();
  other.stop();
  expect(await other.during(60, 100)).toBe(0);
});

test('with a bound of 0 nothing is measured or said', async () => {
  expect(await scene(0).during(60, 100)).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

test('the process itself is measured: one that works all the time is loaded', async () => {
  vi.useRealTimers();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const told = Promise.withResolvers<void>();
  const stop = monitorLoad({ threshold: 90, report: async () => told.resolve() });
  const workUntil = (end: bigint) => {
    while (process.hrtime.bigint() < end);
  };
  for (let look = 0; look < 3; look++) {
    workUntil(process.hrtime.bigint() + 20_000_000n);
    vi.advanceTimersByTime(5000);
  }
  await told.promise;
  stop();
});
