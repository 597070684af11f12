import { expect, test } from 'vitest';
import { isDatabaseError } from '../../../packages/embedded-supabase/src/engine/errors.ts';

const withCode = (code: string) => Object.assign(new Error('failed'), { code });

test.for(['42501', '0A000', 'P0001', 'XX000', 'HV00L', 'PT503'])('recognizes the SQLSTATE %s', (code) => {
  expect(isDatabaseError(withCode(code))).toBe(true);
});

test.for(['EPIPE', 'EPERM', 'EBUSY', 'EROFS', 'EXDEV', 'ENOENT'])(
  'recognizes %s as a system error',
  (code) => {
    expect(isDatabaseError(withCode(code))).toBe(false);
  },
);
