import { expect, test } from 'vitest';
import { waitFor, waitOfNet, waitToJoin } from '../../../src/islands/browser/wait.ts';

const NEVER = 0;

test('waits as long as the site asks for', () => {
  expect(waitFor(10, 0, false, 0.7)).toBe(10_000);
  expect(waitFor(59, 0, false, 0.7)).toBe(59_000);
});

test('waits thirty seconds on a slow line, or longer if the site asks for it', () => {
  expect(waitFor(10, 0, true, NEVER)).toBe(30_000);
  expect(waitFor(60, 0, true, NEVER)).toBe(60_000);
});

test('chance takes up to a quarter of a rare check: all who were told to check rarely begin together', () => {
  expect([0, 0.5, 1].map((chance) => waitFor(60, 0, false, chance))).toEqual([60_000, 52_500, 45_000]);
});

test('waits twice as long after each failure, up to five minutes', () => {
  const waits = [1, 2, 3, 4, 5, 6, 60, 5000].map((failures) => waitFor(10, failures, false, NEVER));
  expect(waits).toEqual([20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000, 300_000]);
});

test('chance takes up to half of a wait after a failure, and nothing of a short one without', () => {
  expect(waitFor(10, 1, false, 1)).toBe(10_000);
  expect(waitFor(10, 1, false, 0.5)).toBe(15_000);
  expect(waitFor(10, 0, false, 1)).toBe(10_000);
});

test('while a socket tells, waits thirty seconds or a little less, and twice as long each time up to four minutes', () => {
  expect([0, 1, 2, 3, 4, 500].map((quiet) => waitOfNet(quiet, 0))).toEqual([
    30_000, 60_000, 120_000, 240_000, 240_000, 240_000,
  ]);
  expect(waitOfNet(0, 1)).toBeCloseTo(20_000);
});

test('a lost socket is opened again at any time of the wait, which doubles up to five minutes', () => {
  expect([1, 2, 3, 4, 5, 6, 60].map((tries) => waitToJoin(tries, 1))).toEqual([
    10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000,
  ]);
  expect(waitToJoin(1, 0)).toBe(1000);
});
