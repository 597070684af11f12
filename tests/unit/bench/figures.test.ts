import { expect, test } from 'vitest';
import { type Finding, isKept, median, percentile, table } from '../../bench/figures.ts';

test('a percentile is one of the values', () => {
  const values = [50, 10, 40, 30, 20];
  expect(median(values)).toBe(30);
  expect(percentile(values, 0.95)).toBe(50);
  expect(percentile(values, 0)).toBe(10);
  expect(values).toEqual([50, 10, 40, 30, 20]);
  expect(median([2, 1])).toBe(1);
});

const finding = (value: number, bound?: Finding['bound']): Finding => ({
  what: 'x',
  value,
  bound,
  figures: {},
});

test('a limit includes its own value, and is missed without measurements', () => {
  expect(isKept(finding(0.8, { atLeast: 0.8 }))).toBe(true);
  expect(isKept(finding(0.79, { atLeast: 0.8 }))).toBe(false);
  expect(isKept(finding(1.5, { atMost: 1.5 }))).toBe(true);
  expect(isKept(finding(1.51, { atMost: 1.5 }))).toBe(false);
  expect(isKept(finding(0))).toBe(true);
  expect(isKept(finding(median([]), { atLeast: 0.8 }))).toBe(false);
  expect(isKept(finding(median([]), { atMost: 1.5 }))).toBe(false);
});

test('a table is aligned and marks missed limits', () => {
  const findings: Finding[] = [
    { what: 'live page', value: 0.91, bound: { atLeast: 0.8 }, figures: { site: 41_234, bare: 45_000 } },
    { what: 'changes', value: 0.7, bound: { atLeast: 0.8 }, figures: { site: 99.5, bare: 142 } },
    { what: 'aside', value: 12.34, figures: { more: 1 } },
  ];
  expect(table('ratio', findings)).toEqual([
    '           ratio   bound            site    bare  more',
    'live page   0.91  ≥ 0.80    kept  41,234  45,000',
    'changes     0.70  ≥ 0.80  MISSED    99.5     142',
    'aside       12.3                                     1',
  ]);
});
