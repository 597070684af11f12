import { expect, test } from 'vitest';
import { fallbackPollDelay, joinDelay, pollDelay } from '../../../src/islands/network/retry.ts';

const NEVER = 0;

test('waits as long as the site asks for', () => {
  expect(pollDelay(10, 0, false, 0.7)).toBe(10_000);
  expect(pollDelay(59, 0, false, 0.7)).toBe(59_000);
});

test('waits thirty seconds on a slow line, or longer if the site asks for it', () => {
  expect(pollDelay(10, 0, true, NEVER)).toBe(30_000);
  expect(pollDelay(60, 0, true, NEVER)).toBe(60_000);
});

test('randomness shortens rare checks by up to a quarter, because all pages start together', () => {
  expect([0, 0.5, 1].map((chance) => pollDelay(60, 0, false, chance))).toEqual([60_000, 52_500, 45_000]);
});

test('waits twice as long after each failure, up to five minutes', () => {
  const waits = [1, 2, 3, 4, 5, 6, 60, 5000].map((failures) => pollDelay(10, failures, false, NEVER));
  expect(waits).toEqual([20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000, 300_000]);
});

test('randomness shortens a wait after a failure by up to half, and no short wait', () => {
  expect(pollDelay(10, 1, false, 1)).toBe(10_000);
  expect(pollDelay(10, 1, false, 0.5)).toBe(15_000);
  expect(pollDelay(10, 0, false, 1)).toBe(10_000);
});

test('waits about thirty seconds while a socket works, doubled each time up to four minutes', () => {
  expect([0, 1, 2, 3, 4, 500].map((quiet) => fallbackPollDelay(quiet, 0))).toEqual([
    30_000, 60_000, 120_000, 240_000, 240_000, 240_000,
  ]);
  expect(fallbackPollDelay(0, 1)).toBeCloseTo(20_000);
});

test('opens a lost socket at a random time within a wait that doubles up to five minutes', () => {
  expect([1, 2, 3, 4, 5, 6, 60].map((tries) => joinDelay(tries, 1))).toEqual([
    10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000,
  ]);
  expect(joinDelay(1, 0)).toBe(1000);
});
