import { expect, test } from 'vitest';
import {
  cacheControl,
  declareCache,
  declarePage,
  declareRefusal,
  etagOf,
  tags,
} from '../../../src/lib/http/cache-policy.ts';

const seconds = (header: string, name: string) => Number(new RegExp(`${name}=(\\d+)`).exec(header)?.[1] ?? 0);

test.for(['page', 'missing', 'changes'] as const)(
  'a copy of %s is forgotten within half a minute where nobody purges it',
  (policy) => {
    const header = cacheControl(policy);
    expect(header).toMatch(/^max-age=0, s-maxage=[1-9]/);
    expect(seconds(header, 's-maxage') + seconds(header, 'stale-while-revalidate')).toBeLessThanOrEqual(30);
  },
);

test('changes and search results are never served stale, pages during failures only', () => {
  expect(cacheControl('changes')).toBe('max-age=0, s-maxage=2');
  expect(cacheControl('results')).toBe('max-age=0, s-maxage=10');
  const page = cacheControl('page');
  expect(seconds(page, 'stale-if-error')).toBeGreaterThan(0);
  expect(seconds(page, 's-maxage') + seconds(page, 'stale-if-error')).toBeLessThanOrEqual(60);
});

test('declares a response with its tags', () => {
  const headers = new Headers();
  declareCache(headers, 'changes', [tags.site, tags.coverage('1')]);
  expect(Object.fromEntries(headers)).toEqual({
    'cache-control': cacheControl('changes'),
    'cache-tag': 'site,coverage:1',
  });
});

test('declares a page with its ETag', () => {
  const headers = new Headers();
  declarePage(headers, [tags.lists], 'about', { name: 'N' });
  expect(Object.fromEntries(headers)).toEqual({
    'cache-control': cacheControl('page'),
    'cache-tag': 'lists',
    etag: etagOf('about', { name: 'N' }),
  });
});

test('caches a missing page briefly, and a removed one for longer', () => {
  const declared = (code: 'not_found' | 'gone') => {
    const headers = new Headers();
    declareRefusal(headers, code, [tags.missing]);
    return headers.get('cache-control');
  };
  expect(declared('not_found')).toBe(cacheControl('missing'));
  expect(declared('gone')).toBe(cacheControl('page'));
});

test('an ETag depends on all its parts', () => {
  expect(etagOf({ seq: 1 }, 'a')).toMatch(/^W\/"[\w-]{22}"$/);
  expect(etagOf({ seq: 1 }, 'a')).toBe(etagOf({ seq: 1 }, 'a'));
  expect(etagOf({ seq: 1 }, 'a')).not.toBe(etagOf({ seq: 2 }, 'a'));
});
