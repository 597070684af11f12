import { expect, test } from 'vitest';
import { readMessage, readSeqs } from '../../../src/lib/server/page-cache/invalidation.ts';

const COVERAGE = { coverage: 'a', seq: 7, tags: ['coverage:a', 'lists'], removed: false, slug: 'river' };

test('a message is about a coverage or the site, and other fields are dropped', () => {
  expect(readMessage({ ...COVERAGE, id: 'of the message' })).toEqual(COVERAGE);
  const site = { site: 3, tags: ['site'], removed: false };
  expect(readMessage({ ...site, id: 'of the message' })).toEqual(site);
});

test('a message without a removed flag counts as a removal', () => {
  expect(readMessage({ ...COVERAGE, removed: undefined })).toMatchObject({ removed: true });
  expect(readMessage({ site: 3, tags: ['site'] })).toMatchObject({ removed: true });
});

test.each([
  null,
  'river',
  [],
  {},
  { ...COVERAGE, seq: '7' },
  { ...COVERAGE, seq: 7.5 },
  { ...COVERAGE, coverage: 7 },
  { ...COVERAGE, slug: null },
  { ...COVERAGE, tags: 'lists' },
  { ...COVERAGE, tags: [1] },
  { site: 3 },
])('refuses the message %j', (payload) => {
  expect(readMessage(payload)).toBeNull();
});

test('reads sequences with slugs', () => {
  expect(readSeqs({ site: 3, coverages: { a: [7, 'river', 'old-river'] } })).toEqual({
    site: 3,
    coverages: new Map([['a', { seq: 7, slugs: ['river', 'old-river'] }]]),
  });
});

test.each([
  null,
  {},
  { site: 3 },
  { site: '3', coverages: {} },
  { site: 3, coverages: [] },
  { site: 3, coverages: { a: 7 } },
  { site: 3, coverages: { a: ['river'] } },
  { site: 3, coverages: { a: [7, 8] } },
])('%j is no response with sequences', (answer) => {
  expect(() => readSeqs(answer)).toThrow();
});
