import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type InvalidatedCache,
  type InvalidationSource,
  type Seqs,
  startInvalidation,
} from '../../../src/lib/server/page-cache/invalidation.ts';

const A = 'a0000000-0000-4000-8000-000000000001';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A cache invalidation with a fake channel and a comparison that waits for the test. */
function startTestInvalidation() {
  const pending: PromiseWithResolvers<Seqs>[] = [];
  const errorLog = vi.spyOn(console, 'error').mockImplementation(() => {});
  const cache = { purge: vi.fn(), purgeAll: vi.fn(), setSlugs: vi.fn() } satisfies InvalidatedCache;
  let listener: Parameters<InvalidationSource['subscribe']>[0] | undefined;
  const leave = vi.fn();
  let count = 0;
  const invalidation = startInvalidation(cache, {
    readSeqs() {
      const read = Promise.withResolvers<Seqs>();
      pending.push(read);
      count += 1;
      return read.promise;
    },
    subscribe(given) {
      listener = given;
      return leave;
    },
  });
  const next = () => {
    const read = pending.shift();
    if (!read) throw new Error('The invalidation reads the known seqs.');
    return read;
  };
  return {
    invalidation,
    cache,
    errorLog,
    leave,
    joined: () => listener?.joined(),
    message: (payload: unknown) => listener?.message(payload),
    /** Number of comparisons since the last call. */
    reads() {
      const past = count;
      count = 0;
      return past;
    },
    async answer(seq = 5) {
      next().resolve({ site: 0, coverages: new Map([[A, { seq, slugs: ['river'] }]]) });
      await vi.advanceTimersByTimeAsync(0);
    },
    async fail() {
      next().reject(new Error('connection refused'));
      await vi.advanceTimersByTimeAsync(0);
    },
  };
}

/** Whether a promise is settled. */
async function isDone(promise: Promise<void>): Promise<boolean> {
  let done = false;
  promise.then(() => {
    done = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  return done;
}

describe('compares', () => {
  test('at the start, and 30 s after the last comparison', async () => {
    const { reads, answer } = startTestInvalidation();
    expect(reads()).toBe(1);
    await vi.advanceTimersByTimeAsync(2_000);
    await answer();
    await vi.advanceTimersByTimeAsync(27_999);
    expect(reads()).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(reads()).toBe(1);
  });

  test('on time when the clock is set back', async () => {
    const { reads, answer } = startTestInvalidation();
    vi.setSystemTime(Date.now() - 3_600_000);
    await answer();
    reads();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(reads()).toBe(1);
  });

  test('when the channel is joined again', async () => {
    const { reads, answer, joined } = startTestInvalidation();
    await answer();
    reads();
    joined();
    expect(reads()).toBe(1);
  });

  test('once more when the channel was joined during a comparison', async () => {
    const { reads, answer, joined } = startTestInvalidation();
    joined();
    expect(reads()).toBe(1);
    await answer();
    expect(reads()).toBe(1);
  });

  test('after an unreadable message', async () => {
    const { reads, answer, message } = startTestInvalidation();
    await answer();
    reads();
    message({ coverage: A, seq: 6, tags: [`coverage:${A}`], removed: false, slug: 'river' });
    expect(reads()).toBe(0);
    message({ coverage: A, seq: '7' });
    expect(reads()).toBe(1);
  });

  test('again after a second when a message contradicts the result', async () => {
    const { reads, answer, message } = startTestInvalidation();
    message({ coverage: A, seq: 6, tags: [`coverage:${A}`], removed: false, slug: 'river' });
    await answer(5);
    reads();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(reads()).toBe(1);
  });
});

describe('requestComparison()', () => {
  test('resolves after the comparison', async () => {
    const { invalidation, answer } = startTestInvalidation();
    await answer();
    const mine = invalidation.requestComparison();
    expect(await isDone(mine)).toBe(false);
    await answer();
    expect(await isDone(mine)).toBe(true);
  });

  test('shares the next comparison with other callers', async () => {
    const { invalidation, reads, answer } = startTestInvalidation();
    const all = [
      invalidation.requestComparison(),
      invalidation.requestComparison(),
      invalidation.requestComparison(),
    ];
    await answer();
    expect(await isDone(Promise.race(all))).toBe(false);
    await answer();
    expect(await isDone(Promise.all(all).then(() => {}))).toBe(true);
    expect(reads()).toBe(2);
  });

  test('resolves when the comparison fails', async () => {
    const { invalidation, answer, fail } = startTestInvalidation();
    await answer();
    const mine = invalidation.requestComparison();
    await fail();
    expect(await isDone(mine)).toBe(true);
  });
});

describe('after a failed comparison', () => {
  test('retries at growing intervals, up to the regular one', async () => {
    const { reads, fail } = startTestInvalidation();
    await fail();
    reads();
    for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
      await vi.advanceTimersByTimeAsync(seconds * 1000 - 1);
      expect(reads(), `before ${seconds} s`).toBe(0);
      await vi.advanceTimersByTimeAsync(1);
      expect(reads(), `after ${seconds} s`).toBe(1);
      await fail();
    }
  });

  test('logs the failure once, and the recovery once', async () => {
    const { answer, fail, errorLog } = startTestInvalidation();
    await fail();
    await vi.advanceTimersByTimeAsync(1_000);
    await fail();
    expect(errorLog).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(2_000);
    await answer();
    await vi.advanceTimersByTimeAsync(30_000);
    await fail();
    expect(errorLog).toHaveBeenCalledTimes(2);
  });

  test('invalidates nothing after one failure, because the database may only be busy', async () => {
    const { cache, answer, fail } = startTestInvalidation();
    await answer();
    for (let n = 0; n < 2; n++) {
      vi.clearAllMocks();
      await vi.advanceTimersByTimeAsync(30_000);
      await fail();
      expect(cache.setSlugs).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1_000);
      await answer();
      expect(cache.purgeAll).not.toHaveBeenCalled();
      expect(cache.purge).not.toHaveBeenCalled();
    }
  });

  test('accepts any slug after two failures, and makes everything stale after the recovery', async () => {
    const { cache, answer, fail } = startTestInvalidation();
    await answer();
    vi.clearAllMocks();
    await vi.advanceTimersByTimeAsync(30_000);
    await fail();
    await vi.advanceTimersByTimeAsync(1_000);
    await fail();
    expect(cache.setSlugs.mock.lastCall).toEqual([null]);
    expect(cache.purgeAll).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2_000);
    await answer();
    expect(cache.purgeAll.mock.calls).toEqual([['stale']]);
  });

  test.for([
    ['before', ['joined', 'fail']],
    ['after', ['fail', 'joined']],
  ] as const)(
    'does the same after one failure with a lost channel, joined again %s it',
    async ([_, events]) => {
      const { cache, answer, ...happens } = startTestInvalidation();
      await answer();
      await vi.advanceTimersByTimeAsync(30_000);
      vi.clearAllMocks();
      for (const event of events) await happens[event]();
      expect(cache.setSlugs.mock.lastCall).toEqual([null]);
      await vi.advanceTimersByTimeAsync(1_000);
      await answer();
      expect(cache.purgeAll.mock.calls).toEqual([['stale']]);
    },
  );

  test('ignores a response to a comparison from before the channel was joined', async () => {
    const { cache, answer, fail, joined } = startTestInvalidation();
    await answer();
    await vi.advanceTimersByTimeAsync(30_000);
    joined();
    await answer();
    vi.clearAllMocks();
    await fail();
    await vi.advanceTimersByTimeAsync(1_000);
    await answer();
    expect(cache.purgeAll.mock.calls).toEqual([['stale']]);
  });
});

test('a joined channel makes nothing stale when the comparison finds no difference', async () => {
  const { cache, answer, joined } = startTestInvalidation();
  await answer();
  vi.clearAllMocks();
  joined();
  await answer();
  expect(cache.purgeAll).not.toHaveBeenCalled();
  expect(cache.purge).not.toHaveBeenCalled();
});

test('compares no more after it was stopped', async () => {
  const { invalidation, cache, reads, answer, leave, joined } = startTestInvalidation();
  invalidation.stop();
  await answer();
  joined();
  await invalidation.requestComparison();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(leave).toHaveBeenCalledOnce();
  expect(reads()).toBe(1);
  expect(cache.purgeAll).not.toHaveBeenCalled();
});
