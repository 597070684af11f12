import { afterEach, expect, test, vi } from 'vitest';
import { cacheRows, serverBridge } from '../../../src/lib/data/server-bridge.ts';

const before = serverBridge.invalidations;
afterEach(() => {
  vi.useRealTimers();
  serverBridge.invalidations = before;
});

/** A function that counts its calls, and a row that says how many there were. */
function countedRead() {
  const read = vi.fn(async (key: string) => `${key} ${read.mock.calls.length}`);
  return read;
}

test('reads a row once until the page cache is invalidated', async () => {
  serverBridge.invalidations = 1;
  const read = countedRead();
  const cached = cacheRows(read);
  expect([await cached('a'), await cached('a'), await cached('b')]).toEqual(['a 1', 'a 1', 'b 2']);
  serverBridge.invalidations = 2;
  expect(await cached('a')).toBe('a 3');
});

test('does not use a row again that was being read when the page cache was invalidated', async () => {
  serverBridge.invalidations = 1;
  const read = countedRead();
  const cached = cacheRows(read);
  const older = cached('a');
  serverBridge.invalidations = 2;
  expect([await older, await cached('a')]).toEqual(['a 1', 'a 2']);
});

test('uses a row for ten seconds, for changes whose message was lost', async () => {
  serverBridge.invalidations = 1;
  vi.useFakeTimers();
  const read = countedRead();
  const cached = cacheRows(read);
  await cached('a');
  vi.advanceTimersByTime(9_999);
  expect(await cached('a')).toBe('a 1');
  vi.advanceTimersByTime(1);
  expect(await cached('a')).toBe('a 2');
});

test('remembers neither errors nor results that are not to be kept', async () => {
  serverBridge.invalidations = 1;
  const read = vi.fn(async (_key: string): Promise<string> => 'missing');
  read.mockRejectedValueOnce(new Error('The backend is away.'));
  const cached = cacheRows(read, (result) => result !== 'missing');
  await expect(cached('a')).rejects.toThrow('away');
  expect([await cached('a'), await cached('a')]).toEqual(['missing', 'missing']);
  expect(read).toHaveBeenCalledTimes(3);
});

test('remembers nothing without a page cache', async () => {
  serverBridge.invalidations = undefined;
  const read = countedRead();
  const cached = cacheRows(read);
  expect([await cached('a'), await cached('a')]).toEqual(['a 1', 'a 2']);
});
