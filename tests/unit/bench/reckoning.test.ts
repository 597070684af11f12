import { expect, test } from 'vitest';
import { densest, fullPages, mustBeDense } from '../../bench/dense.ts';
import { roundsOf } from '../../bench/rounds.ts';

test('the densest page is the one with the most, and the newest of equals', () => {
  expect(densest([1, 5, 5, 1, 9], 2)).toBe(1);
  expect(densest([5, 5, 0, 5, 5], 2)).toBe(0);
  expect(densest([1, 2], 3)).toBe(0);
});

test('a dense feed ends where its newest page is as long as it may be, and a lighter page is refused', () => {
  expect([19, 28, 29, 100, 860].map((there) => fullPages(there))).toEqual([19, 19, 29, 99, 859]);
  expect(fullPages(5_000, 100)).toBe(99);
  expect(() => mustBeDense('<article id="a">'.repeat(19))).not.toThrow();
  expect(() => mustBeDense('<article id="a">'.repeat(10))).toThrow('10 updates, not 19');
});

test('bytes have come in the round trip that brings the last of them', () => {
  expect(roundsOf([100, 200], 1)).toBe(1);
  expect(roundsOf([100, 200], 100)).toBe(1);
  expect(roundsOf([100, 200], 101)).toBe(2);
  expect(roundsOf([100, 200], 301)).toBeNaN();
});
