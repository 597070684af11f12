import { expect, test } from 'vitest';
import { directionOf } from '../../../src/lib/i18n/language.ts';

test.for([
  ['en', 'ltr'],
  ['ar', 'rtl'],
  ['he-IL', 'rtl'],
  ['az-Arab', 'rtl'],
  ['az', 'ltr'],
  ['en-x', 'ltr'],
] as const)('%s is written %s', ([language, direction]) => {
  expect(directionOf(language)).toBe(direction);
});
