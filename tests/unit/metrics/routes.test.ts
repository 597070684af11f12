import { expect, test } from 'vitest';
import { routeOf } from '../../../src/lib/server/route-limits.ts';

test('parts of URLs never become label values', () => {
  expect(routeOf('/tips/0a1b2c/state?x=1')).toBe('/tips/[receipt]/state');
  expect(routeOf('/live/storm/12')).toBe('/live/[slug]/[number]');
  expect(routeOf('/live/storm/changes?after=3')).toBe('/live/[slug]/changes');
  expect(routeOf('/rest/v1/secret')).toBe('/rest/v1');
  for (const odd of [
    '',
    '/wp-admin',
    '/live',
    '/tips/a/b/c',
    'http://x/',
    `/${'x'.repeat(9_000)}`,
    '/live/a/changes/b',
  ])
    expect(routeOf(odd), odd.slice(0, 20)).toBe('other');
});
