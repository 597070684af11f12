import { expect, test } from 'vitest';
import { afterSignIn, safePath, signInPath } from '../../../src/lib/auth/next.ts';

test.each(['/', '/desk', '/desk/storm?filter=draft#top', '/live/a%20b'])(
  '%s is a path of this site',
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
])('%j leads nowhere', (path) => {
  expect(safePath(path)).toBeNull();
});

test('the way to the sign-in page leads back', () => {
  const path = signInPath(new URL('http://any.example/desk/storm?page=2'));
  expect(safePath(new URL(path, 'http://any.example').searchParams.get('next'))).toBe('/desk/storm?page=2');
});

test('those who have a desk go there', () => {
  expect(afterSignIn('contributor')).toBe('/desk');
  expect(afterSignIn('reader')).toBe('/');
});
