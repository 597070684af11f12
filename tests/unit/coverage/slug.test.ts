import { expect, test } from 'vitest';
import { suggestSlug } from '../../../src/lib/domain/coverages.ts';

test.each([
  ['The river rises at Harrow Bridge', 'the-river-rises-at-harrow-bridge'],
  ['Apollo 11: air-to-ground, as it happened', 'apollo-11-air-to-ground-as-it-happened'],
  ['  Crème brûlée – 50 % off! ', 'creme-brulee-50-off'],
  ['東京', ''],
  [
    `${'long '.repeat(20)}end`,
    'long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long',
  ],
  ['x'.repeat(100), 'x'.repeat(80)],
  [`${'a'.repeat(79)} b`, 'a'.repeat(79)],
])('suggests a slug for %j', (headline, slug) => {
  expect(suggestSlug(headline)).toBe(slug);
});
