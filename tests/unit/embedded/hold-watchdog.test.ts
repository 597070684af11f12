import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type Hold,
  MAX_HOLD_MS,
  openHoldWatchdog,
} from '../../../packages/embedded-supabase/src/engine/hold-watchdog.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const holdOf = (maxHoldMs?: number): Hold => ({
  work: {
    outcome: { wasUnavailable: false, timedOut: false },
    ...(maxHoldMs === undefined ? {} : { maxHoldMs }),
  },
  busyMs: 0,
  causedRestart: false,
});

/**
 * Holds the database for a time.
 * @param share of the time in which the database computes
 * @returns the holds that exceeded their limit
 */
async function exceededAfter(ms: number, { share = 1, hold = holdOf() } = {}): Promise<Hold[]> {
  const exceeded: Hold[] = [];
  const started = performance.now();
  const watchdog = openHoldWatchdog(
    async () => (performance.now() - started) * share,
    (late) => {
      late.causedRestart = true;
      exceeded.push(late);
    },
  );
  watchdog.begin(hold);
  await vi.advanceTimersByTimeAsync(ms);
  watchdog.end();
  // Nothing is left to watch.
  await vi.advanceTimersByTimeAsync(10 * MAX_HOLD_MS);
  return exceeded;
}

describe('the watchdog of the database', () => {
  it('reports a hold that computes for longer than it may, once', async () => {
    const hold = holdOf();
    expect(await exceededAfter(3 * MAX_HOLD_MS, { hold })).toEqual([hold]);
    // Well before the time that a busy machine gets.
    expect(await exceededAfter(1.3 * MAX_HOLD_MS)).toHaveLength(1);
  });

  it('reports none that ends in time', async () => {
    expect(await exceededAfter(MAX_HOLD_MS - 500)).toEqual([]);
  });

  it('gives twice the time to a hold on a busy machine, and more to one that waits for the disk', async () => {
    expect(await exceededAfter(1.8 * MAX_HOLD_MS, { share: 0.2 })).toEqual([]);
    expect(await exceededAfter(2.2 * MAX_HOLD_MS, { share: 0.2 })).toHaveLength(1);
    expect(await exceededAfter(5.8 * MAX_HOLD_MS, { share: 0 })).toEqual([]);
    expect(await exceededAfter(6.2 * MAX_HOLD_MS, { share: 0 })).toHaveLength(1);
  });

  it('allows announced work the time that it needs', async () => {
    const hold = holdOf(4 * MAX_HOLD_MS);
    expect(await exceededAfter(3 * MAX_HOLD_MS, { hold })).toEqual([]);
  });
});
