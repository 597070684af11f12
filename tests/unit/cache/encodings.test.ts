import { expect, test } from 'vitest';
import { acceptedEncodings } from '../../../src/lib/server/page-cache/cached-response.ts';

test.for([
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip, deflate, br, zstd', 'br gzip identity'],
  ['gzip', 'gzip identity'],
  ['GZIP', 'gzip identity'],
  ['x-gzip', 'gzip identity'],
  ['deflate', 'identity'],
  ['br;q=0', 'identity'],
  ['br;q=0, gzip', 'gzip identity'],
  ['br; q=0.000,gzip ;q=0.5', 'gzip identity'],
  ['br;q=0.5, gzip;q=0.8', 'gzip br identity'],
  ['gzip;q=0.5, identity', 'identity gzip'],
  ['*', 'br gzip identity'],
  ['*;q=0.5, gzip;q=0', 'br identity'],
  ['gzip, *;q=0', 'gzip'],
  ['br, identity;q=0', 'br'],
  ['identity;q=0', 'identity'],
  ['*;q=0', 'identity'],
  ['br;q=2, gzip;q=x', 'identity'],
] as const)('orders encodings for Accept-Encoding "%s": %s', ([header, expected]) => {
  expect(acceptedEncodings(header).join(' ')).toBe(expected);
  expect(acceptedEncodings(header).join(' ')).toBe(expected);
});
