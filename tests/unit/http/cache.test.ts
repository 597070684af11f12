import { expect, test } from 'vitest';
import {
  cacheControl,
  declareCache,
  declarePage,
  etagOf,
  isHeld,
  tags,
} from '../../../src/lib/http/cache.ts';

const seconds = (header: string, name: string) => Number(new RegExp(`${name}=(\\d+)`).exec(header)?.[1] ?? 0);

test.for(['coverage', 'update', 'list', 'about', 'moved', 'changes'] as const)(
  'a copy of %s is forgotten within a minute where nobody purges it',
  (policy) => {
    const header = cacheControl(policy);
    expect(header).toMatch(/^public, max-age=0, s-maxage=[1-9]/);
    expect(seconds(header, 's-maxage') + seconds(header, 'stale-while-revalidate')).toBeLessThanOrEqual(60);
  },
);

test('what changed is never served stale; pages are, when the newsroom does not answer', () => {
  expect(cacheControl('changes')).toBe('public, max-age=0, s-maxage=2, must-revalidate');
  expect(cacheControl('coverage')).toContain('stale-if-error=86400');
});

test('an answer is declared with its tags', () => {
  const headers = new Headers();
  declareCache(headers, 'list', [tags.front, tags.coverage('1')]);
  expect(Object.fromEntries(headers)).toEqual({
    'cache-control': cacheControl('list'),
    'cache-tag': 'front,coverage:1',
  });
});

test('a page is declared with its version too, and not made again for who holds that version', () => {
  const ask = (etag: string) => {
    const request = new Request('http://site.test/', { headers: { 'If-None-Match': etag } });
    const headers = new Headers();
    const held = declarePage({ request, response: { headers } }, 'about', [tags.site], 'about', {
      name: 'N',
    });
    return { held, headers: Object.fromEntries(headers) };
  };
  const etag = etagOf('about', { name: 'N' });
  const declared = { 'cache-control': cacheControl('about'), 'cache-tag': 'site', etag };
  expect(ask('W/"other"')).toEqual({ held: null, headers: declared });
  const { held } = ask(etag);
  expect(held?.status).toBe(304);
  expect(Object.fromEntries(held?.headers ?? [])).toEqual(declared);
});

test('a version is known by all that it is made of', () => {
  expect(etagOf({ seq: 1 }, 'a')).toMatch(/^W\/"[\w-]{22}"$/);
  expect(etagOf({ seq: 1 }, 'a')).toBe(etagOf({ seq: 1 }, 'a'));
  expect(etagOf({ seq: 1 }, 'a')).not.toBe(etagOf({ seq: 2 }, 'a'));
});

test.for([
  ['W/"one"', true],
  ['"one"', true],
  ['"two", W/"one"', true],
  ['*', true],
  ['"two"', false],
  [null, false],
] as const)('who says If-None-Match: %s holds W/"one": %s', ([held, expected]) => {
  const headers = new Headers(held === null ? [] : [['If-None-Match', held]]);
  expect(isHeld(new Request('http://site.test/', { headers }), 'W/"one"')).toBe(expected);
});
