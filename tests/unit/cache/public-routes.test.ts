import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cacheRouteOf } from '../../../src/lib/data/public-routes.ts';
import { isPrivateRoute } from '../../../src/lib/domain/paths.ts';

const OF_RIVER = '/oembed?url=https%3A%2F%2Fa.org%2Flive%2Friver';
const PHOTO = '0b9d2f6e-6a3c-4a3e-9d58-1f8a5c1f0a77';

test.for([
  ['/', '/'],
  ['/?fbclid=x', '/'],
  ['/about?before=1', '/about'],
  ['/follow?done=saved', '/follow'],
  ['/live/river', '/live/river'],
  ['/live/river?', '/live/river'],
  ['/live/river?utm_source=x&before=11&fbclid=y', '/live/river?before=11'],
  ['/live/river?before=11&show=key', '/live/river?show=key&before=11'],
  ['/live/river?show=1&order=newest', '/live/river'],
  ['/live/river?before=11&before=21', '/live/river?before=11'],
  ['/live/river?before=', '/live/river?before='],
  ['/live/river?before=a%26b', '/live/river?before=a%26b'],
  ['/live/river/12?show=key', '/live/river/12'],
  ['/live/river/changes?until=4&after=3&x=1', '/live/river/changes?after=3&until=4'],
  ['/live/river/12/map/-53.69012,170,16.svg?x=1', '/live/river/12/map/-53.69012,170,16.svg'],
  ['/live/river/12/map/53.690123,170,16.svg', '/404'],
  ['/live/river/12/map/here.svg', '/404'],
  ['/%6Cive/ri%76er', '/live/river'],
  ['/people/ada', '/people/ada'],
  ['/topics/floods?page=2', '/topics/floods'],
  ['/topics/floods?x=1&before=2026-11-20', '/topics/floods?before=2026-11-20'],
  ['/people/ada?before=2026-11-20T14%3A03', '/people/ada?before=2026-11-20T14%3A03'],
  ['/people/ada?before=now', '/people/ada'],
  ['/archive?page=2', '/archive'],
  ['/archive/2026?x', '/archive/2026'],
  ['/archive/2026/11?page=1', '/archive/2026/11'],
  ['/archive/2026/11?fbclid=x&page=12', '/archive/2026/11?page=12'],
  ['/live/river/timeline?show=key', '/live/river/timeline'],
  ['/tips?fbclid=y&coverage=river', '/tips?coverage=river'],
  ['/tips?coverage=%2Fx', '/tips'],
  ['/corrections?x=1&before=1795338169922712', '/corrections?before=1795338169922712'],
  ['/corrections?before=0', '/corrections'],
  ['/live/river/embed?utm_source=x', '/live/river/embed'],
  ['/live/river/brief?utm_source=x', '/live/river/brief'],
  ['/live/river/brief.txt?layout=strip', '/live/river/brief.txt'],
  ['/live/river/part?utm_source=x', '/live/river/part'],
  ['/live/river/part?heading=2&updates=10&layout=full', '/live/river/part'],
  ['/live/river/part?heading=3&updates=5', '/live/river/part?updates=5&heading=3'],
  ['/live/river/part?updates=05', '/live/river/part?updates=5'],
  ['/live/river/part?layout=strip&updates=5&heading=3', '/live/river/part?layout=strip'],
  ['/live/river/part?layout=newest&updates=5&heading=4', '/live/river/part?layout=newest&heading=4'],
  ['/live/river/part?layout=Full&updates=51', '/live/river/part?layout='],
  ['/live/river/part?updates=51&heading=9', '/live/river/part?updates='],
  ['/live/river/part?heading=1', '/live/river/part?heading='],
  ['/api/coverages.json?x=1', '/api/coverages.json'],
  ['/oembed?url=x&maxwidth=5', '/oembed'],
  ['/oembed?format=yaml&url=x', '/oembed?format=xml'],
  ['/oembed?maxwidth=650&format=json&url=http://a.org/live/river/12?x%23y', `${OF_RIVER}&maxwidth=600`],
  ['/oembed?maxwidth=5000&maxheight=700&url=https://a.org/live/river&x=y', OF_RIVER],
  ['/feed.atom?x=1', '/feed.atom'],
  ['/feed.json?archive=2026-11.2&x=1', '/feed.json?archive=2026-11.2'],
  ['/feed.json?archive=2026-13', '/feed.json'],
  ['/feed.json?archive=2026-11.1', '/feed.json'],
  ['/feed.json?archive=0000-11', '/feed.json'],
  ['/topics/floods/feed.atom?archive=2026-11', '/topics/floods/feed.atom?archive=2026-11'],
  ['/live/river/feed.atom?archive=3', '/live/river/feed.atom?archive=3'],
  ['/live/river/feed.json?archive=2026-11', '/live/river/feed.json'],
  ['/live/river/feed.json?archive=0', '/live/river/feed.json'],
  ['/robots.txt', '/robots.txt'],
  ['/sitemap.xml?x=1', '/sitemap.xml'],
  ['/sitemap-news.xml', '/sitemap-news.xml'],
  ['/sitemaps/pages.xml', '/sitemaps/pages.xml'],
  ['/sitemaps/2026-11-2.xml?x', '/sitemaps/2026-11-2.xml'],
  ['/sw.js?x=1', '/sw.js'],
  ['/desk-sw.js', '/desk-sw.js'],
  ['/offline/desk', '/offline/desk'],
  ['/manifest.webmanifest', '/manifest.webmanifest'],
  [`/photos/${PHOTO}/960?utm_source=x`, `/photos/${PHOTO}/960`],
] as const)('maps %s to the cache key %s', ([url, key]) => {
  expect(cacheRouteOf(url)?.key).toBe(key);
});

test.for([
  '/live/River',
  '/live/a',
  '/live/river/0',
  '/live/river/x',
  '/live/river/1/2',
  '/archive/26',
  '/archive/2026/november',
  '/archive/2026/11/22',
  '/live/%00',
  '/live/a%2Fb%2Fc',
  '/%',
  '/desk%FF',
  '/%256Cive/river',
  `/photos/${PHOTO}/961`,
  `/photos/${PHOTO.toUpperCase()}/960`,
  '/photos/x/960',
  '/sitemaps/2026.xml',
])('maps %s to the page for missing pages', (url) => {
  expect(cacheRouteOf(url)?.key).toBe('/404');
});

test('answers invalid requests for changes in their own format', () => {
  expect(cacheRouteOf('/live/No_Slug/changes?after=7')?.key).toBe('/live/-/changes?after=0');
});

test('knows the slug of every page of a coverage', () => {
  expect(cacheRouteOf('/live/river/changes?after=1')).toMatchObject({
    slug: 'river',
    missing: '/live/-/changes?after=0',
  });
  expect(cacheRouteOf('/live/river/3')).toMatchObject({ slug: 'river', missing: '/404' });
  expect(cacheRouteOf('/live/No_Slug/embed')?.key).toBe('/live/-/embed');
  expect(cacheRouteOf('/live/No_Slug/brief.txt')?.key).toBe('/live/-/brief.txt');
  expect(cacheRouteOf('/live/No_Slug/brief')?.key).toBe('/404');
  expect(cacheRouteOf('/live/No_Slug/part?layout=x')?.key).toBe('/live/-/part');
  expect(cacheRouteOf(OF_RIVER)).toEqual({ key: OF_RIVER, slug: 'river', missing: '/oembed' });
  expect(cacheRouteOf('/about')?.slug).toBeUndefined();
});

test.for([
  '/desk',
  '/sign-in',
  '/api/me',
  '/api/coverages.json/x',
  '/account',
  '/follow/live/river',
  '/live/river/',
  '//live/river',
  '/nowhere',
  '/_astro/x.js',
])('does not cache %s', (url) => {
  expect(cacheRouteOf(url)).toBeNull();
});

test('every page is either private or cached', () => {
  const pages = readdirSync('src/pages', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`.replace('src/pages', ''));
  expect(pages.length).toBeGreaterThan(20);
  for (const page of pages) {
    const path = page
      .replace(/\.(astro|ts)$/, '')
      .replace(/\/index$/, '/')
      .replace(/(?<=.)\/$/, '')
      .replace('[number]', '1')
      .replace('[year]', '2026')
      .replace('[month]', '11')
      .replace('[place]', '53.69,-0.44,16')
      .replace('sitemaps/[part]', 'sitemaps/pages')
      .replace('site-images/[name]', `site-images/${'a'.repeat(32)}-400x96.svg`)
      .replace('photos/[id]/[width]', `photos/${PHOTO}/480`)
      .replace(/\[\w+\]/g, 'some');
    if (path === '/500') continue;
    // Public pages with a secret in their URL, and large files.
    if (/^\/(?:tips|unsubscribe|media)\/some/.test(path)) expect(cacheRouteOf(path), page).toBeNull();
    else if (isPrivateRoute(path)) expect(cacheRouteOf(path), page).toBeNull();
    else expect(cacheRouteOf(path)?.key, page).toBe(path);
  }
});
