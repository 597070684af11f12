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

/** A process with a controlled load, which reports from 80 percent on. */
function scene(at = 80) {
  let load = 0;
  let told = 0;
  const tell = vi.fn(async () => void told++);
  const stop = monitorLoad({ threshold: at, report: tell, measure: () => load, now: () => Date.now() });
  return {
    tell,
    stop,
    /** Number of reports during some seconds under a load. */
    async during(seconds: number, percent: number) {
      load = percent / 100;
      told = 0;
      await vi.advanceTimersByTimeAsync(1000 * seconds);
      return told;
    },
  };
}

test('reports a load that lasts 15 seconds, but no bursts', async () => {
  const { during } = scene();
  for (let burst = 0; burst < 5; burst++) {
    expect(await during(10, 100)).toBe(0);
    expect(await during(5, 79)).toBe(0);
  }
  expect(await during(10, 80)).toBe(0);
  expect(await during(5, 80)).toBe(1);
});

test('keeps reporting down to half of the limit, until two minutes below it', async () => {
  const { during } = scene();
  await during(15, 90);
  expect(await during(300, 40)).toBe(10);
  // A shorter pause does not end it.
  expect(await during(100, 39)).toBe(0);
  expect(await during(30, 40)).toBe(1);
  expect(await during(120, 39)).toBe(0);
  expect(await during(300, 79)).toBe(0);
  expect(await during(15, 80)).toBe(1);
});

test('retries a failed report at the next sample, and logs it once', async () => {
  const complain = vi.spyOn(console, 'error').mockReturnValue();
  const { tell, during } = scene();
  tell.mockRejectedValueOnce(new Error('away')).mockRejectedValueOnce(new Error('away'));
  expect(await during(20, 100)).toBe(0);
  expect(await during(5, 100)).toBe(1);
  expect(complain.mock.calls).toEqual([[SERVER.overloadNotReported('away')]]);
});

test('sends no second report at the same time, and none after the end', async () => {
  const { tell, during, stop } = scene();
  tell.mockReturnValueOnce(new Promise(() => {}));
  await during(300, 100);
  expect(tell).toHaveBeenCalledTimes(1);
  stop();
  const other = scene();
  other.stop();
  expect(await other.during(60, 100)).toBe(0);
});

test('measures nothing with a limit of 0', async () => {
  expect(await scene(0).during(60, 100)).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

test('measures the load of the process', async () => {
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
