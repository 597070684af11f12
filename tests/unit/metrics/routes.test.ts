import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ROUTES, routeOf } from '../../../src/lib/server/metrics/requests.ts';

/** Of the server around the pages. */
const OUTER = ['/_astro/[file]', '/healthz', '/healthz/ready', '/metrics'];

test('every page has its route among the numbers', () => {
  const pages = globSync('**/*.{astro,ts}', { cwd: 'src/pages' })
    .map((file) =>
      `/${file.replace(/\.(astro|ts)$/, '').replace(/(^|\/)index$/, '')}`.replace(/(.)\/$/, '$1'),
    )
    .filter((route) => !['/404', '/500'].includes(route));
  expect([...ROUTES].sort()).toEqual([...pages, ...OUTER].sort());
});

test('no part of an address that anybody makes up becomes a name', () => {
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
