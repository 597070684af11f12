import { expect, test } from 'vitest';
import { cacheRouteOf } from '../../../src/lib/data/public-routes.ts';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { isDate, searchPath } from '../../../src/lib/domain/search.ts';

const LONGEST = LIMITS.search_query;

const keyOf = (query: string) => cacheRouteOf(`/search${query}`)?.key;

test.for([
  ['', '/search'],
  ['?q=', '/search'],
  ['?q=%20%09', '/search'],
  ['?q=%00%02', '/search'],
  ['?page=3', '/search'],
  ['?q=river&coverage=&topic=&person=&from=&to=', '/search?q=river'],
  ['?q=+high%0A%0D+river+', '/search?q=high+river'],
  ['?q=a%02b%03c%00', '/search?q=a+b+c'],
  ['?q=river&utm_source=x&page=1', '/search?q=river'],
  ['?page=2&q=river', '/search?q=river&page=2'],
  ['?page=10&q=river', '/search?q=river&page=10'],
  ['?page=11&q=river', '/search?q=river'],
  ['?page=-1&q=river', '/search?q=river'],
  ['?q=first&q=second', '/search?q=first'],
  // A combining accent equals the composed letter.
  ['?q=cafe%CC%81', '/search?q=caf%C3%A9'],
  ['?q=%FF', '/search?q=%EF%BF%BD'],
  ['?q=river&coverage=No_Slug&person=ada', '/search?q=river&person=ada'],
  ['?coverage=river', '/search?coverage=river'],
  ['?q=x&to=2026-01-01&from=yesterday+evening', '/search?q=x&from=yesterday&to=2026-01-01'],
] as const)('/search%s is one with %s', ([query, key]) => {
  expect(keyOf(query)).toBe(key);
});

test('cuts a long query between characters, always at the same place', () => {
  const long = '🌊'.repeat(LONGEST + 50);
  const key = keyOf(`?q=${encodeURIComponent(long)}`);
  expect(new URLSearchParams(key?.slice('/search?'.length)).get('q')).toBe('🌊'.repeat(LONGEST));
  expect(cacheRouteOf(key ?? '')?.key).toBe(key);
  expect(keyOf(`?q=${'a'.repeat(LONGEST - 1)}+${'b'.repeat(10_000)}`)).toBe(
    `/search?q=${'a'.repeat(LONGEST - 1)}`,
  );
});

test('builds URLs of searches', () => {
  expect(searchPath()).toBe('/search');
  expect(searchPath({ coverage: 'river' })).toBe('/search?coverage=river');
  expect(searchPath({ q: 'high & dry', page: '2' })).toBe('/search?q=high+%26+dry&page=2');
});

test.for([
  ['2026-11-22', true],
  ['2024-02-29', true],
  ['2026-02-29', false],
  ['2026-13-01', false],
  ['2026-1-1', false],
  ['yesterday', false],
  ['', false],
] as const)('%s is a day: %s', ([text, is]) => {
  expect(isDate(text)).toBe(is);
});
