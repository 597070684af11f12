import { expect, onTestFinished, test, vi } from 'vitest';
import type { Site } from '../../../src/lib/data/site.ts';
import type { ReaderCoverage } from '../../../src/lib/domain/reader-coverage.ts';
import { followAttributes, resolveFollow } from '../../../src/lib/publishing/page-attributes.ts';

test('uses the setting of the newsroom, whatever the number of sockets', () => {
  expect(resolveFollow('sockets', { limit: 0, open: 5000 })).toBe('sockets');
  expect(resolveFollow('checks', { limit: 10_000, open: 0 })).toBe('checks');
});

test('opens sockets below the limit in automatic mode', () => {
  expect(resolveFollow('auto', { limit: 0, open: 0 })).toBe('checks');
  expect(resolveFollow('auto', { limit: 2, open: 1 })).toBe('sockets');
  expect(resolveFollow('auto', { limit: 2, open: 2 })).toBe('full');
  expect(resolveFollow('auto', { limit: 2, open: 3 })).toBe('full');
});

test.each([
  ['sockets', 10, 60],
  ['sockets', 300, 60],
  ['auto', 300, 60],
  ['checks', 10, 60],
  ['checks', 300, 300],
] as const)(
  'in a surge who follows by %s, or else each %i s, asks each %i s',
  (reader_follow_mode, check_interval_seconds, seconds) => {
    vi.stubEnv('STOPPRESS_READER_SOCKETS', '1');
    onTestFinished(() => void vi.unstubAllEnvs());
    const coverage = { reader_follow_mode: null, check_interval_seconds: null } as ReaderCoverage;
    const site = { reader_follow_mode, check_interval_seconds, surge: 'on' } as Site;
    expect(followAttributes(coverage, site)).toEqual({ 'data-follow': 'checks', 'data-interval': seconds });
  },
);
