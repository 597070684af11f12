import { describe, expect, it } from 'vitest';
import { policyFields } from '../../../src/lib/server/page-cache/cached-response.ts';

describe('policyFields', () => {
  it('sends stale-while-revalidate to CDNs only', () => {
    expect(policyFields('max-age=0, s-maxage=10, stale-while-revalidate=20, stale-if-error=50')).toEqual([
      'cache-control',
      'max-age=0, s-maxage=10, stale-if-error=50',
      'cdn-cache-control',
      'max-age=10, stale-while-revalidate=20, stale-if-error=50',
    ]);
  });

  it('adds nothing to a policy without it', () => {
    expect(policyFields('no-store')).toEqual(['cache-control', 'no-store']);
  });
});
