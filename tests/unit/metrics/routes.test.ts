import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ROUTES, routeOf } from '../../../src/lib/server/metrics/requests.ts';

/** Routes of the outer server. */
const OUTER = ['/_astro/[file]', '/healthz', '/healthz/ready', '/metrics'];

test('every page has a route in the metrics', () => {
  const pages = globSync('**/*.{astro,ts}', { cwd: 'src/pages' })
    .map((file) =>
      `/${file.replace(/\.(astro|ts)$/, '').replace(/(^|\/)index$/, '')}`.replace(/(.)\/$/, '$1'),
    )
    .filter((route) => !['/404', '/500'].includes(route));
  expect([...ROUTES].sort()).toEqual([...pages, ...OUTER].sort());
});

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
