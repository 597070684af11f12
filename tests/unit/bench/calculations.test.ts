import { expect, test } from 'vitest';
import { densest, fullPages, mustBeDense } from '../../bench/dense.ts';
import { roundsOf } from '../../bench/rounds.ts';

test('finds the page with the most key events, the newest of equal ones', () => {
  expect(densest([1, 5, 5, 1, 9], 2)).toBe(1);
  expect(densest([5, 5, 0, 5, 5], 2)).toBe(0);
  expect(densest([1, 2], 3)).toBe(0);
});

test('cuts a feed so that its newest page has full length, and refuses shorter pages', () => {
  expect([19, 28, 29, 100, 860].map((there) => fullPages(there))).toEqual([19, 19, 29, 99, 859]);
  expect(fullPages(5_000, 100)).toBe(99);
  expect(() => mustBeDense('<article id="a">'.repeat(19))).not.toThrow();
  expect(() => mustBeDense('<article id="a">'.repeat(10))).toThrow('10 updates, not 19');
});

test('counts the round trips until the last of some bytes', () => {
  expect(roundsOf([100, 200], 1)).toBe(1);
  expect(roundsOf([100, 200], 100)).toBe(1);
  expect(roundsOf([100, 200], 101)).toBe(2);
  expect(roundsOf([100, 200], 301)).toBeNaN();
});
