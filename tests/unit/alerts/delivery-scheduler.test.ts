import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type DeliveryClient, startDeliveryScheduler } from '../../../src/lib/server/delivery-scheduler.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

type DeliveryResult = { claimed: number; more: boolean };
const NOTHING: DeliveryResult = { claimed: 0, more: false };

/** Starts a scheduler whose calls wait until the test answers them. */
async function startScheduler(due: number | null = null) {
  const pending: PromiseWithResolvers<DeliveryResult>[] = [];
  const errorLog = vi.spyOn(console, 'error').mockImplementation(() => {});
  const leave = vi.fn();
  const state = { due, calls: 0, checks: 0, written: () => {} };
  const client: DeliveryClient = {
    failed: (why) => why,
    async secondsUntilDue() {
      state.checks += 1;
      return state.due;
    },
    deliver() {
      state.calls += 1;
      const result = Promise.withResolvers<DeliveryResult>();
      pending.push(result);
      return result.promise;
    },
    subscribe(written) {
      state.written = written;
      return leave;
    },
  };
  const stop = startDeliveryScheduler(client);
  const settle = () => vi.advanceTimersByTimeAsync(0);
  // A starting server does not call at once.
  state.written();
  await vi.advanceTimersByTimeAsync(19_999);
  expect(state.calls).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  return {
    state,
    errorLog,
    leave,
    stop,
    written: () => state.written(),
    async answer(result = NOTHING) {
      pending.shift()?.resolve(result);
      await settle();
    },
    async fail() {
      pending.shift()?.reject(new Error('connection refused'));
      await settle();
    },
  };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('calls soon after its start and when something is due, never twice at a time', async () => {
  const { state, answer, written } = await startScheduler();
  expect(state.calls).toBe(1);
  state.due = 0;
  written();
  await pass(120_000);
  expect([state.calls, state.checks]).toEqual([1, 0]);
  await answer();
  expect([state.calls, state.checks]).toEqual([2, 1]);
  await answer({ claimed: 200, more: true });
  expect(state.calls).toBe(3);
  state.due = null;
  await answer({ claimed: 3, more: true });
  expect([state.calls, state.checks]).toEqual([3, 3]);
});

test('waits until something is due, and asks every half minute in case a message was lost', async () => {
  const { state, answer, written } = await startScheduler();
  await answer();
  await pass(1_000);
  expect([state.calls, state.checks]).toEqual([1, 1]);
  state.due = 12;
  await pass(29_000);
  expect(state.checks).toBe(1);
  written();
  await pass(0);
  expect(state.checks).toBe(2);
  await pass(11_000);
  expect(state.checks).toBe(2);
  state.due = 0;
  await pass(1_000);
  expect(state.calls).toBe(2);
  state.due = 600;
  await answer();
  for (const checks of [4, 5, 6]) {
    await pass(30_000);
    expect([state.calls, state.checks]).toEqual([2, checks]);
  }
});

test('asks at growing intervals while another process has claimed what is due', async () => {
  const { state, answer } = await startScheduler(0);
  await answer();
  const pauses = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000];
  for (const [index, ms] of pauses.entries()) {
    await pass(ms - 1);
    expect(state.calls).toBe(1 + index);
    await pass(1);
    expect(state.calls).toBe(2 + index);
    await answer();
  }
});

test('logs a failure once, and retries at growing intervals', async () => {
  const { state, errorLog, answer, fail } = await startScheduler(0);
  for (const ms of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
    const before = state.calls;
    await fail();
    await pass(ms - 1);
    expect(state.calls).toBe(before);
    await pass(1);
    expect(state.calls).toBe(before + 1);
  }
  expect(errorLog).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('connection refused'));
  await answer({ claimed: 1, more: true });
  await fail();
  expect(errorLog).toHaveBeenCalledTimes(2);
});

test('waits for the current call when it stops, and makes no more', async () => {
  const { state, stop, leave, written, answer, errorLog } = await startScheduler(0);
  let ended = false;
  const ending = stop().then(() => {
    ended = true;
  });
  expect(leave).toHaveBeenCalledOnce();
  await pass(5_000);
  expect(ended).toBe(false);
  await answer({ claimed: 200, more: true });
  await ending;
  written();
  await pass(120_000);
  expect(state.calls).toBe(1);
  expect(errorLog).not.toHaveBeenCalled();
});

test('stops without waiting for a call that does not end', async () => {
  const { stop } = await startScheduler(0);
  const ending = stop();
  await pass(10_000);
  await ending;
});
