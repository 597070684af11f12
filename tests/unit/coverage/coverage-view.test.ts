import { expect, test } from 'vitest';
import { readView, updateInListPath, type View, viewQuery } from '../../../src/lib/domain/coverages.ts';

const slug = 'storm';
const viewOf = (count: number, query: string) =>
  readView({ slug, update_count: count }, new URLSearchParams(query));
const viewOfPath = (count: number, path: string) => viewOf(count, path.split('?')[1] ?? '');

function view(count: number, path: string): Exclude<View, { kind: 'key' }> {
  const result = viewOfPath(count, path);
  if (!result || result.kind === 'redirect' || result.kind === 'key')
    throw new Error(`${path} is no page of ${count}.`);
  return result;
}

/** The numbers seen by following links. */
function followLinks(count: number, start: string, link: 'older' | 'newer'): number[] {
  const visited: number[] = [];
  for (let path: string | undefined = start; path; path = view(count, path)[link]) {
    const { first, last } = view(count, path).range;
    const numbers = Array.from(
      { length: Math.max(0, Math.min(last, count) - first + 1) },
      (_, n) => first + n,
    );
    visited.push(...(link === 'older' ? numbers.reverse() : numbers));
  }
  return visited;
}

const COUNTS = [0, 1, 9, 10, 11, 19, 20, 21, 29, 30, 31, 99, 100, 1383];

test.for(COUNTS)('older links reach each of %i updates once, newest first', (count) => {
  expect(followLinks(count, '/live/storm', 'older')).toEqual(
    Array.from({ length: count }, (_, n) => count - n),
  );
});

test.for(COUNTS)('oldest first reaches each of %i updates once, in order', (count) => {
  expect(followLinks(count, '/live/storm?order=oldest', 'newer')).toEqual(
    Array.from({ length: count }, (_, n) => n + 1),
  );
});

test('newer links lead back the way of older links', () => {
  for (const start of ['/live/storm', '/live/storm?order=oldest&before=61']) {
    const [away, back] = start.includes('order')
      ? (['older', 'newer'] as const)
      : (['older', 'newer'] as const);
    for (let path: string | undefined = start; path; ) {
      const next: string | undefined = view(57, path)[away];
      if (next) expect(view(57, next)[back]).toBe(path);
      path = next;
    }
  }
});

test('the newest page has 10 to 19 updates', () => {
  for (let count = 20; count < 60; count++) {
    const { first, last } = view(count, '/live/storm').range;
    expect(last - first + 1).toBeGreaterThanOrEqual(10);
    expect(last - first + 1).toBeLessThanOrEqual(19);
  }
});

test('an older page never changes', () => {
  for (let count = 20; count < 200; count++) {
    expect(view(count, '/live/storm?before=11').range).toEqual({ first: 1, last: 10 });
  }
});

test.for([
  // Between two page boundaries: the page with the older updates.
  [45, 'before=12', { path: '/live/storm?before=21', status: 301 }],
  [45, 'before=20', { path: '/live/storm?before=21', status: 301 }],
  // No boundary yet: on the newest page for now.
  [45, 'before=41', { path: '/live/storm', status: 302 }],
  [45, 'before=999999', { path: '/live/storm', status: 302 }],
  [45, 'order=oldest&before=11', { path: '/live/storm?order=oldest', status: 301 }],
  [45, 'order=oldest&before=13', { path: '/live/storm?order=oldest&before=21', status: 301 }],
  [45, 'order=oldest&before=999', { path: '/live/storm?order=oldest&before=51', status: 302 }],
] as const)('redirects, with %i updates, from ?%s', ([count, query, to]) => {
  expect(viewOf(count, query)).toEqual({ kind: 'redirect', ...to });
});

test.for([
  'before=0',
  'before=1',
  'before=-11',
  'before=1.5',
  'before=011',
  'before=11x',
  'before=',
  'before=1e3',
  'order=oldest&before=1',
  'before=99999999999',
])('refuses ?%s', (query) => {
  expect(viewOf(45, query)).toBeNull();
});

test('key events start at the newest, and continue below a number', () => {
  expect(viewOf(45, 'show=key')).toMatchObject({ kind: 'key', before: 46, path: '/live/storm?show=key' });
  expect(viewOf(45, 'show=key&before=7&order=oldest')).toMatchObject({
    before: 7,
    path: '/live/storm?show=key&before=7',
  });
});

test('the page in the link of an update contains the update', () => {
  for (const count of COUNTS) {
    for (let number = 1; number <= count; number++) {
      const [path, fragment] = updateInListPath(slug, number, count).split('#') as [string, string];
      const { range } = view(count, path);
      expect(range.first <= number && number <= range.last, `${number} of ${count} on ${path}`).toBe(true);
      expect(fragment).toBe(`update-${number}`);
    }
  }
});

test('redirects keep known parameters only', () => {
  const query = new URLSearchParams('fbclid=1&before=11&order=oldest&x=<y>');
  expect(viewQuery(query)).toBe('?order=oldest&before=11');
  expect(viewQuery(new URLSearchParams('utm_source=x'))).toBe('');
});
