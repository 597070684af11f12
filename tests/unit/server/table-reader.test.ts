import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Refused } from '../../../src/lib/i18n/refusals.ts';
import { startTableReader, type TableReadingClient } from '../../../src/lib/server/table-reader.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const CELLS = [['A'], ['1']];

/** Starts a reader. `due` are the tickets of the next claims. */
function startReader(due: string[][], client: Partial<TableReadingClient> = {}) {
  const errorLog = vi.spyOn(console, 'error').mockImplementation(() => {});
  const calls = {
    claim: vi.fn(async () => due.shift() ?? []),
    read: vi.fn(async (_ticket: string) => CELLS),
    save: vi.fn(async () => {}),
    ...client,
  };
  return { calls, errorLog, stop: startTableReader(calls, 1_000) };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('reads what is due, claims again while there was something, and then waits', async () => {
  const { calls, stop } = startReader([['a', 'b'], ['c']]);
  await pass(999);
  expect(calls.claim).not.toHaveBeenCalled();
  await pass(1);
  expect(vi.mocked(calls.save).mock.calls).toEqual([
    ['a', { cells: CELLS }],
    ['b', { cells: CELLS }],
    ['c', { cells: CELLS }],
  ]);
  expect(calls.claim).toHaveBeenCalledTimes(3);
  await pass(1_000);
  expect(calls.claim).toHaveBeenCalledTimes(4);
  stop();
});

test('saves the error of an address, and reads the others', async () => {
  const refused = new Refused('invalid', { reason: 'not_csv', details: { reason: 'not_csv' } });
  const { calls, stop } = startReader([['a', 'b', 'c']], {
    read: async (ticket) => {
      if (ticket === 'a') throw refused;
      if (ticket === 'b') throw new TypeError('fetch failed');
      return CELLS;
    },
  });
  await pass(1_000);
  expect(vi.mocked(calls.save).mock.calls).toEqual([
    ['a', { error: refused.refusal }],
    ['b', { error: { code: 'unavailable', status: 503 } }],
    ['c', { cells: CELLS }],
  ]);
  stop();
});

test('logs once that the backend does not answer, and goes on when it does', async () => {
  let fails = true;
  const { calls, errorLog, stop } = startReader([], {
    claim: vi.fn(async () => {
      if (fails) throw new Error('connection refused');
      return [];
    }),
  });
  await pass(5_000);
  expect(calls.claim).toHaveBeenCalledTimes(5);
  expect(errorLog).toHaveBeenCalledTimes(1);
  fails = false;
  await pass(1_000);
  fails = true;
  await pass(1_000);
  expect(errorLog).toHaveBeenCalledTimes(2);
  stop();
});

test('neither claims nor saves once it is stopped', async () => {
  const reading = Promise.withResolvers<string[][]>();
  const { calls, stop } = startReader([['a'], ['b']], { read: () => reading.promise });
  await pass(1_000);
  stop();
  reading.resolve(CELLS);
  await pass(10_000);
  expect(calls.save).not.toHaveBeenCalled();
  expect(calls.claim).toHaveBeenCalledTimes(1);
});
