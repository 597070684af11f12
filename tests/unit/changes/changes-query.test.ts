import { expect, test } from 'vitest';
import { parseChangesRequest } from '../../../src/lib/domain/coverages.ts';

const read = (query: string) => parseChangesRequest(new URLSearchParams(query));

test.each([
  ['after=0', { after: 0, until: 0 }],
  ['after=12', { after: 12, until: 0 }],
  ['after=12&until=15', { after: 12, until: 15 }],
  ['fbclid=x&after=12', { after: 12, until: 0 }],
  ['after=999999999999999', { after: 999_999_999_999_999, until: 0 }],
])('reads %s', (query, question) => {
  expect(read(query)).toEqual(question);
});

test.each([
  '',
  'after=',
  'after=-1',
  'after=+1',
  'after=1.0',
  'after=1e3',
  'after=0x1',
  'after=007',
  'after=١',
  'after=1%20',
  'after=9999999999999999',
  'until=3',
  'after=1&until=',
  'after=1&until=-2',
])('refuses "%s"', (query) => {
  expect(read(query)).toBeNull();
});
