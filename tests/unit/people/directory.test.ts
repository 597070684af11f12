import { expect, test } from 'vitest';
import {
  directoryMessage,
  directoryPath,
  readDirectoryFilters,
  roleOf,
} from '../../../src/lib/data/people.ts';
import { english } from '../../../src/lib/i18n/en/all.ts';
import { people } from '../../../src/lib/i18n/en/people.ts';

const ID = '00000000-0000-4000-8000-000000000001';
const here = (path: string) => new URL(path, 'http://any.example');

test('encodes filters in a URL and reads them back', () => {
  for (const question of [
    { search: '', after: null },
    { search: 'a & b', after: null },
    { search: 'ann@example.com', after: ID },
  ]) {
    expect(readDirectoryFilters(here(directoryPath(question)))).toEqual(question);
  }
  expect(directoryPath({ search: '', after: null })).toBe('/desk/people');
});

test('ignores invalid ids', () => {
  expect(readDirectoryFilters(here('/desk/people?after=1%27%20or&q=%20x%20'))).toEqual({
    search: 'x',
    after: null,
  });
});

test('shows messages of the product, with the person', () => {
  const path = directoryPath({ search: '', after: null }, { done: 'activated', person: ID });
  expect(directoryMessage(english, here(path))).toEqual({ person: ID, sentence: people.done.activated });
  expect(directoryMessage(english, here('/desk/people?done=toString'))).toBeUndefined();
});

test('accepts existing roles only', () => {
  const form = new FormData();
  form.set('role', 'editor');
  expect(roleOf(form)).toBe('editor');
  form.set('role', 'emperor');
  expect(roleOf(form)).toBeUndefined();
});
