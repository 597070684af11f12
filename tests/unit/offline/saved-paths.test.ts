import { expect, test } from 'vitest';
import { navigationTarget } from '../../../src/islands/offline/saved-page.ts';

const visited = (path: string) => navigationTarget(new URL(path, 'https://news.example'));

test.for([
  '/live/river/embed',
  '/live/river/changes?after=1',
  '/oembed',
  '/oembed?url=https://news.example/live/river',
])('%s is not saved', (path) => {
  expect(visited(path)).toEqual({ kind: 'other' });
});

test('a live page is saved', () => {
  expect(visited('/live/river?utm_source=x')).toEqual({ kind: 'page', key: '/live/river' });
});
