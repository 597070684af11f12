import { expect, test } from 'vitest';
import { clientNetwork } from '../../../packages/embedded-supabase/src/gateway/client-network.ts';
import {
  combineLimits,
  createLruCache,
  createSlidingWindowLimit,
  createTokenBuckets,
} from '../../../packages/embedded-supabase/src/gateway/rate-limits.ts';

test('a token bucket gives its capacity, then its rate', () => {
  let now = 0;
  const bucket = createTokenBuckets({ capacity: 3, perSecond: 2 }, () => now);
  expect([1, 2, 3, 4].map(() => bucket.take('a'))).toEqual([0, 0, 0, 0.5]);
  expect(bucket.take('b')).toBe(0);
  now = 500;
  expect([bucket.take('a'), bucket.take('a')]).toEqual([0, 0.5]);
  now = 60_000;
  expect([1, 2, 3, 4].map(() => bucket.take('a'))).toEqual([0, 0, 0, 0.5]);
});

test('attempts count as failures from their start until they expire or succeed', () => {
  let now = 0;
  const limit = createSlidingWindowLimit({ max: 2, windowMs: 1000 }, () => now);
  const [first, second] = [limit.begin('a'), limit.begin('a')];
  expect([first.waitS, second.waitS]).toEqual([0, 0]);
  expect(limit.begin('a').waitS).toBe(1);
  expect(limit.begin('b').waitS).toBe(0);
  second.succeed();
  now = 400;
  expect(limit.begin('a').waitS).toBe(0);
  expect(limit.begin('a').waitS).toBeCloseTo(0.6);
  now = 1000;
  expect(limit.begin('a').waitS).toBe(0);
  expect(limit.begin('a').waitS).toBeCloseTo(0.4);
});

test('an attempt under two limits counts for both or for none', () => {
  let now = 0;
  const [tight, wide] = [
    createSlidingWindowLimit({ max: 1, windowMs: 100 }, () => now),
    createSlidingWindowLimit({ max: 2, windowMs: 1000 }, () => now),
  ];
  const begin = () => combineLimits([tight.begin('a'), wide.begin('a')]);
  expect(begin().waitS).toBe(0);
  expect([begin().waitS, begin().waitS]).toEqual([0.1, 0.1]);
  now = 100;
  const second = begin();
  expect(second.waitS).toBe(0);
  now = 200;
  expect(begin().waitS).toBeCloseTo(0.8);
  second.succeed();
  expect(begin().waitS).toBe(0);
});

test('the least recently used client is forgotten first, and unused limits take no memory', () => {
  const known = createLruCache<string[]>(2);
  known.set('a', []).set('b', []);
  known.get('a');
  known.set('c', []);
  expect(['a', 'b', 'c'].map((key) => known.has(key))).toEqual([true, false, true]);

  const before = process.memoryUsage();
  const limits = Array.from({ length: 50 }, () => createTokenBuckets({ capacity: 3, perSecond: 2 }));
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  const bytes = heapUsed - before.heapUsed + arrayBuffers - before.arrayBuffers;
  // Preallocation for all clients would take 50 MB.
  expect(bytes / 2 ** 20).toBeLessThan(10);
  expect(limits[0]?.take('a')).toBe(0);
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:DB8:1:2::ffff', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['2001:db8:0:1::', '2001:db8:0:1'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
])('%s belongs to the network %s', (address, line) => {
  expect(clientNetwork(address)).toBe(line);
});
