import { expect, test } from 'vitest';
import { parseBanDuration } from '../../../../packages/embedded-supabase/src/auth/admin-users.ts';

test.each([
  ['none', 0],
  ['0', 0],
  ['0s', 0],
  ['24h', 86_400_000],
  ['876000h', 3_153_600_000_000],
  ['1h30m', 5_400_000],
  ['1.5h', 5_400_000],
  ['.5s', 500],
  ['2m3.5s10ms', 123_510],
  ['2000us', 2],
  ['2000µs', 2],
  ['1000000ns', 1],
])('%s lasts %d ms', (text, length) => {
  expect(parseBanDuration(text)).toBe(length);
});

test.each([
  '',
  'forever',
  '24',
  'h',
  '24 h',
  '24h ',
  '1d',
  '-1h',
  '1h,30m',
  '1h1',
  '2562048h',
  '9e9h',
  '1..5h',
])('%j is not a duration', (text) => {
  expect(parseBanDuration(text)).toBeUndefined();
});
