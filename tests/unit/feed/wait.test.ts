import { expect, test } from 'vitest';
import { isPoor, waitFor, waitOfNet, waitToJoin } from '../../../src/islands/browser/wait.ts';

const NEVER = 0;

test('waits as long as the site asks for', () => {
  expect(waitFor(10, 0, undefined, 0.7)).toBe(10_000);
  expect(waitFor(60, 0, { effectiveType: '4g' }, 0.7)).toBe(60_000);
});

test.each([
  { saveData: true },
  { effectiveType: 'slow-2g' },
  { effectiveType: '2g' },
  { effectiveType: '3g' },
])('waits thirty seconds on a line like %o, or longer if the site asks for it', (line) => {
  expect(waitFor(10, 0, line, NEVER)).toBe(30_000);
  expect(waitFor(60, 0, line, NEVER)).toBe(60_000);
});

test('waits twice as long after each failure, up to five minutes', () => {
  const waits = [1, 2, 3, 4, 5, 6, 60, 5000].map((failures) => waitFor(10, failures, undefined, NEVER));
  expect(waits).toEqual([20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000, 300_000]);
});

test('chance takes up to half of a wait after a failure, and nothing of any other', () => {
  expect(waitFor(10, 1, undefined, 1)).toBe(10_000);
  expect(waitFor(10, 1, undefined, 0.5)).toBe(15_000);
  expect(waitFor(10, 0, undefined, 1)).toBe(10_000);
});

test('while a socket tells, waits thirty seconds or a little less', () => {
  expect(waitOfNet(0)).toBe(30_000);
  expect(waitOfNet(1)).toBeCloseTo(20_000);
});

test('a lost socket is opened again at any time of the wait, which doubles up to five minutes', () => {
  expect([1, 2, 3, 4, 5, 6, 60].map((tries) => waitToJoin(tries, 1))).toEqual([
    10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000,
  ]);
  expect(waitToJoin(1, 0)).toBe(1000);
});

test('a line is poor by its own account', () => {
  expect([{ saveData: true }, { effectiveType: 'slow-2g' }, { effectiveType: '2g' }].map(isPoor)).toEqual([
    true,
    true,
    true,
  ]);
  expect(
    [undefined, {}, { saveData: false, effectiveType: '3g' }, { effectiveType: '4g' }].map(isPoor),
  ).toEqual([false, false, false, false]);
});
