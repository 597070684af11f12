import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type AlertClient, startAlertScheduler } from '../../../src/lib/server/alert-scheduler.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

type Ring = { claimed: number; more: boolean };
const NOTHING: Ring = { claimed: 0, more: false };

/** Starts a scheduler whose calls wait until the test answers them. */
async function ringing(due: number | null = null) {
  const rings: PromiseWithResolvers<Ring>[] = [];
  const said = vi.spyOn(console, 'error').mockImplementation(() => {});
  const leave = vi.fn();
  const state = { due, rung: 0, asked: 0, written: () => {} };
  const bell: AlertClient = {
    async secondsUntilDue() {
      state.asked += 1;
      return state.due;
    },
    deliver() {
      state.rung += 1;
      const ring = Promise.withResolvers<Ring>();
      rings.push(ring);
      return ring.promise;
    },
    subscribe(written) {
      state.written = written;
      return leave;
    },
  };
  const stop = startAlertScheduler(bell);
  const settle = () => vi.advanceTimersByTimeAsync(0);
  // A starting server does not call at once.
  state.written();
  await vi.advanceTimersByTimeAsync(19_999);
  expect(state.rung).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  return {
    state,
    said,
    leave,
    stop,
    written: () => state.written(),
    async answer(ring = NOTHING) {
      rings.shift()?.resolve(ring);
      await settle();
    },
    async fail() {
      rings.shift()?.reject(new Error('nobody there'));
      await settle();
    },
  };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('calls soon after its start and when something is due, never twice at a time', async () => {
  const { state, answer, written } = await ringing();
  expect(state.rung).toBe(1);
  state.due = 0;
  written();
  await pass(120_000);
  expect([state.rung, state.asked]).toEqual([1, 0]);
  await answer();
  expect([state.rung, state.asked]).toEqual([2, 1]);
  await answer({ claimed: 200, more: true });
  expect(state.rung).toBe(3);
  state.due = null;
  await answer({ claimed: 3, more: true });
  expect([state.rung, state.asked]).toEqual([3, 3]);
});

test('waits until something is due, and asks every half minute in case a message was lost', async () => {
  const { state, answer, written } = await ringing();
  await answer();
  await pass(1_000);
  expect([state.rung, state.asked]).toEqual([1, 1]);
  state.due = 12;
  await pass(29_000);
  expect(state.asked).toBe(1);
  written();
  await pass(0);
  expect(state.asked).toBe(2);
  await pass(11_000);
  expect(state.asked).toBe(2);
  state.due = 0;
  await pass(1_000);
  expect(state.rung).toBe(2);
  state.due = 600;
  await answer();
  for (const asked of [4, 5, 6]) {
    await pass(30_000);
    expect([state.rung, state.asked]).toEqual([2, asked]);
  }
});

test('asks at growing intervals while another process has claimed what is due', async () => {
  const { state, answer } = await ringing(0);
  await answer();
  const pauses = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000];
  for (const [index, ms] of pauses.entries()) {
    await pass(ms - 1);
    expect(state.rung).toBe(1 + index);
    await pass(1);
    expect(state.rung).toBe(2 + index);
    await answer();
  }
});

test('logs a failure once, and retries at growing intervals', async () => {
  const { state, said, answer, fail } = await ringing(0);
  for (const ms of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
    const before = state.rung;
    await fail();
    await pass(ms - 1);
    expect(state.rung).toBe(before);
    await pass(1);
    expect(state.rung).toBe(before + 1);
  }
  expect(said).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('nobody there'));
  await answer({ claimed: 1, more: true });
  await fail();
  expect(said).toHaveBeenCalledTimes(2);
});

test('waits for the current call when it stops, and makes no more', async () => {
  const { state, stop, leave, written, answer, said } = await ringing(0);
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
  expect(state.rung).toBe(1);
  expect(said).not.toHaveBeenCalled();
});

test('stops without waiting for a call that does not end', async () => {
  const { stop } = await ringing(0);
  const ending = stop();
  await pass(10_000);
  await ending;
});
