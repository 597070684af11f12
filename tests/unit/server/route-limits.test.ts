import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { COSTS, costOf, hasInvalidSecret } from '../../../src/lib/server/route-limits.ts';

/** Routes of the outer server. */
const OUTER = ['/_astro/[file]', '/healthz', '/healthz/ready', '/metrics'];
/** These have the cost of any address. */
const ERROR_PAGES = ['/404', '/500'];

describe('the table of routes', () => {
  it('names the cost of every page', () => {
    const pages = globSync('**/*.{astro,ts}', { cwd: 'src/pages' })
      .map((file) => `/${file.replace(/\.(astro|ts)$/, '').replace(/(^|\/)index$/, '')}`)
      .filter((route) => !ERROR_PAGES.includes(route));
    expect(Object.keys(COSTS).toSorted()).toEqual([...pages, ...OUTER].toSorted());
  });

  it.each([
    ['/', 'page'],
    ['/live/river', 'page'],
    ['/live/river?before=12', 'variant'],
    ['/live/river/12', 'variant'],
    ['/live/river/changes?after=1', 'variant'],
    ['/live/river/part?updates=3', 'variant'],
    ['/api/coverages.json', 'page'],
    ['/people/ada', 'variant'],
    ['/search?q=river', 'costly'],
    ['/tips', 'page'],
    ['/tips/abc', 'personal'],
    ['/desk/river', 'personal'],
    ['/made/up', 'page'],
    ['/_astro/x.js', 'file'],
  ])('gives %s the cost %s', (address, cost) => {
    expect(costOf(address)).toBe(cost);
  });
});

describe('hasInvalidSecret', () => {
  it.each([
    `/tips/${'a'.repeat(31)}`,
    `/tips/${'a'.repeat(40)}!/state`,
    '/unsubscribe/short',
    `/invites/${'a'.repeat(44)}`,
  ])('is true of %s', (path) => {
    expect(hasInvalidSecret(path), path).toBe(true);
  });

  it.each([
    `/tips/${'a'.repeat(43)}`,
    `/tips/${'a'.repeat(43)}/state`,
    `/unsubscribe/${'a'.repeat(43)}`,
    `/invites/${'a'.repeat(43)}`,
    '/tips',
    '/desk/tips',
  ])('is false of %s', (path) => {
    expect(hasInvalidSecret(path)).toBe(false);
  });
});
