import { expect, test } from 'vitest';
import { pathWith } from '../../../src/lib/domain/paths.ts';
import { codePath } from '../../../src/lib/domain/sign-in.ts';

test('adds parameters that are set', () => {
  expect(pathWith('/sign-up', { next: null })).toBe('/sign-up');
  expect(pathWith('/sign-up', { next: '/desk?a=b&c' })).toBe('/sign-up?next=%2Fdesk%3Fa%3Db%26c');
  expect(codePath('recovery')).toBe('/auth/code?for=recovery');
});
