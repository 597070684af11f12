import { expect, test } from 'vitest';
import { densest } from '../../bench/dense.ts';
import { roundsOf } from '../../bench/rounds.ts';

test('the densest page is the one with the most, and the newest of equals', () => {
  expect(densest([1, 5, 5, 1, 9], 2)).toBe(1);
  expect(densest([5, 5, 0, 5, 5], 2)).toBe(0);
  expect(densest([1, 2], 3)).toBe(0);
});

test('bytes have come in the round trip that brings the last of them', () => {
  expect(roundsOf([100, 200], 1)).toBe(1);
  expect(roundsOf([100, 200], 100)).toBe(1);
  expect(roundsOf([100, 200], 101)).toBe(2);
  expect(roundsOf([100, 200], 301)).toBeNaN();
});
