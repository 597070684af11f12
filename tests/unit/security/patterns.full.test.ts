import { check, type Diagnostics } from 'recheck';
import { expect, test } from 'vitest';
import { partsOf, patternsIn, patternsInSources } from '../../support/repository.ts';
import { attackOf, BOUNDED } from './bounded-patterns.ts';
import judged from './judged-patterns.json' with { type: 'json' };

/* A slow pattern would block the site's only thread (ReDoS). */

/** Time for a pattern that was not checked before. Most take some ms. */
const LONGEST_MS = 20_000;
/** Processor time for the longest input of a bounded pattern. */
const MOST_CPU_MS = 1_000;

/** Patterns that were checked before and are safe. */
const known = new Set(judged);

/** The complexity of a slow pattern, or undefined. */
async function slownessOf(pattern: string): Promise<string | undefined> {
  const { source, flags } = partsOf(pattern);
  const judgement: Diagnostics = await check(source, flags, { timeout: LONGEST_MS });
  if (judgement.status === 'safe') return undefined;
  return judgement.status === 'unknown' ? 'not judged in time' : judgement.complexity.summary;
}

test('every pattern is safe at any length, or has limited input', {
  timeout: 120_000,
}, async () => {
  const slow: string[] = [];
  for (const [pattern, files] of patternsInSources()) {
    if (known.has(pattern) || pattern in BOUNDED) continue;
    const slowness = await slownessOf(pattern);
    if (slowness) slow.push(`${pattern} in ${files.join(', ')}: ${slowness}`);
  }
  expect(slow, 'write it simpler, cut its text, or name its bound in bounded-patterns.ts').toEqual([]);
});

test('detects slow patterns', async () => {
  const planted = patternsIn('planted.ts', 'export const a = /^(a+)+$/; // /b/\nconst b = 4 / 2 / 1;');
  expect(planted).toEqual(['/^(a+)+$/']);
  expect(await slownessOf('/^(a+)+$/')).toBe('exponential');
  expect(await slownessOf('/^[a-z]{1,20}$/')).toBeUndefined();
});

test.for(Object.entries(BOUNDED))(
  '%s is quick with the longest text that it is given',
  ([pattern, bounded]) => {
    const { source, flags } = partsOf(pattern);
    const before = process.cpuUsage();
    attackOf(bounded).replace(new RegExp(source, flags), '');
    const { user } = process.cpuUsage(before);
    expect(user / 1_000).toBeLessThan(MOST_CPU_MS);
  },
);

test('every bounded pattern still exists', () => {
  const there = patternsInSources();
  expect(Object.keys(BOUNDED).filter((pattern) => !there.has(pattern))).toEqual([]);
});
