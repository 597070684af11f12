import { expect, test } from 'vitest';
import { afterSignIn, mailedNextPath, safePath, signInPath } from '../../../src/lib/domain/sign-in.ts';

test.each(['/', '/desk', '/desk/storm?filter=draft#top', '/live/a%20b'])(
  'accepts %s as a path of this site',
  (path) => {
    expect(safePath(path)).toBe(path);
  },
);

test.each([
  null,
  undefined,
  '',
  'desk',
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example/',
  '\\/evil.example',
  '/.//evil.example/',
  '/a/..//evil.example/',
  '/\t/evil.example/',
  '/desk\nSet-Cookie: a=b',
  'javascript:alert(1)',
])('%j is no path', (path) => {
  expect(safePath(path)).toBeNull();
});

test('the sign-in page redirects back', () => {
  const path = signInPath(new URL('http://any.example/desk/storm?page=2'));
  expect(safePath(new URL(path, 'http://any.example').searchParams.get('next'))).toBe('/desk/storm?page=2');
});

test('people with a desk go there after signing in', () => {
  expect(afterSignIn('contributor')).toBe('/desk');
  expect(afterSignIn('reader')).toBe('/');
});

const SITE = 'https://news.example';

test.each([
  ['/desk/storm?page=2', '/desk/storm?page=2'],
  [`${SITE}/desk/storm?page=2#top`, '/desk/storm?page=2#top'],
  ['HTTPS://NEWS.EXAMPLE/desk', '/desk'],
])('a mailed link may redirect to %s', (given, path) => {
  expect(mailedNextPath(given, SITE)).toBe(path);
});

test.each([
  '/',
  SITE,
  `${SITE}/`,
  'https://news.example.evil.example/desk',
  'https://news.example:444/desk',
  'http://news.example/desk',
  'https://news.example@evil.example/',
  'https://user:word@news.example//evil.example',
  `${SITE}//evil.example/`,
  '//news.example/desk',
  'javascript:alert(1)',
  '',
  null,
])('a mailed link ignores the next page %j', (given) => {
  expect(mailedNextPath(given, SITE)).toBeNull();
});
