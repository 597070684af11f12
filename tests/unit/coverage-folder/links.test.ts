import { expect, test } from 'vitest';
import {
  convertLink,
  type FolderPage,
  folderPageOf,
  type LinkContext,
} from '../../../src/lib/publishing/coverage-folder/links.ts';

const SITE = 'https://news.example';
const coverage = { slug: 'river', slugs: ['river', 'flood'], update_count: 38 };
const at = (address: string) => folderPageOf(coverage, new URL(address, SITE));

const index: FolderPage = { path: '/live/river', file: 'index.html' };
const single: FolderPage = { path: '/live/river/7', file: 'updates/7.html' };
const contextFor = (place: FolderPage, more: Partial<LinkContext> = {}): LinkContext => ({
  coverage,
  siteUrl: SITE,
  page: place,
  media: new Set(),
  renditionFileOf: (id, width) => (id === 'p' ? `photos/p-${width}.webp` : undefined),
  ...more,
});
const hrefOf = (href: string, from = single, more = {}) => convertLink(href, contextFor(from, more)).href;

test.each([
  ['/live/river', 'index.html'],
  ['/live/river?fbclid=1', 'index.html'],
  ['/live/flood/12', 'updates/12.html'],
  ['/live/river?before=21', 'page-21.html'],
  // Not a page boundary: the site redirects to the page with the older updates.
  ['/live/river?before=15', 'page-21.html'],
  // Still on the newest page.
  ['/live/river?before=38', 'index.html'],
  ['/live/river?show=key', 'key-events.html'],
  ['/live/river?show=key&before=9', 'key-events-9.html'],
  ['/live/river/timeline', 'timeline.html'],
  ['/live/river/feed.atom', 'feed.atom'],
])('maps %s to %s', (address, file) => {
  expect(at(address)?.file).toBe(file);
});

test.each([
  '/',
  '/live/river/39',
  '/live/river/0',
  '/live/river/007',
  '/live/river/changes?after=0',
  '/live/river/1/more',
  '/live/river?before=x',
  '/live/river?order=oldest',
  '/live/other/3',
  '/photos/p/480',
  '/people/river',
])('does not map %s to a file', (address) => {
  expect(at(address)).toBeUndefined();
});

test('requests a file from the site by its canonical URL', () => {
  expect(at('/live/flood?before=15')?.path).toBe('/live/river?before=21');
  expect(at('/live/flood/feed.json?x')?.path).toBe('/live/river/feed.json');
});

test('links to files of the folder with fragments, by relative path', () => {
  expect(hrefOf('/live/river?before=21#update-20')).toBe('../page-21.html#update-20');
  expect(hrefOf('/live/river?before=21#update-20', index)).toBe('page-21.html#update-20');
  expect(hrefOf('/live/river/8')).toBe('8.html');
  expect(hrefOf('/live/river/8', index)).toBe('updates/8.html');
  expect(hrefOf(`${SITE}/live/flood`)).toBe('../index.html');
  expect(hrefOf('https://NEWS.example:443/live/river')).toBe('../index.html');
  expect(hrefOf('/photos/p/480')).toBe('../photos/p-480.webp');
});

test('links to other pages by absolute URL', () => {
  expect(hrefOf('/people/ann')).toBe(`${SITE}/people/ann`);
  expect(hrefOf('/live/river/39')).toBe(`${SITE}/live/river/39`);
  expect(hrefOf('/photos/q/480')).toBe(`${SITE}/photos/q/480`);
  expect(hrefOf('http://news.example/live/river')).toBe('http://news.example/live/river');
  expect(hrefOf('https://other.example/live/river')).toBe('https://other.example/live/river');
  expect(hrefOf('mailto:desk@news.example')).toBe('mailto:desk@news.example');
  expect(hrefOf('geo:53.69,-0.44?z=15')).toBe('geo:53.69,-0.44?z=15');
});

test('leaves no address that a file would resolve against disk or host, and none that runs', () => {
  expect(hrefOf('//other.example/x')).toBe('https://other.example/x');
  expect(hrefOf('\\\\other.example\\x')).toBe('https://other.example/x');
  expect(hrefOf('?before=21')).toBe('7.html');
  expect(hrefOf('../../etc/passwd')).toBe(`${SITE}/etc/passwd`);
  for (const href of [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'file:///etc/passwd',
    'data:text/html,x',
    'blob:x',
    'https://[',
    'vbscript:x',
  ])
    expect(hrefOf(href), href).toBeUndefined();
});

test('keeps fragments of the same page', () => {
  expect(hrefOf('#update-7')).toBe('#update-7');
});

test('links to videos and recordings lead to the files of the folder, if it has them', () => {
  const path = '/media/0f1e2d3c-4b5a-4697-8877-665544332211/900-9.mp3';
  const media = new Set([path]);
  expect(hrefOf(path, single, { media })).toBe('../media/0f1e2d3c-4b5a-4697-8877-665544332211.mp3');
  expect(hrefOf(path)).toBe(`${SITE}${path}`);
});
