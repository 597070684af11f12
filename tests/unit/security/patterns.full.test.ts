import { check, type Diagnostics } from 'recheck';
import { expect, test } from 'vitest';
import { partsOf, patternsIn, patternsInSources } from '../../support/repository.ts';
import { attackOf, BOUNDED } from './bounded-patterns.ts';
import judged from './judged-patterns.json' with { type: 'json' };

/* No text may make a pattern slow: one that is takes the site's only thread with it (ReDoS). */

/** For a pattern that nobody has judged yet; most take a few milliseconds. */
const LONGEST_MS = 20_000;
/** Of processor time, for the longest text that a bounded pattern is ever given. */
const MOST_CPU_MS = 1_000;

/** Judged before and found safe: so that it is not done at every run. */
const known = new Set(judged);

/** What is slow about a pattern; undefined of one that is safe at any length. */
async function slownessOf(pattern: string): Promise<string | undefined> {
  const { source, flags } = partsOf(pattern);
  const judgement: Diagnostics = await check(source, flags, { timeout: LONGEST_MS });
  if (judgement.status === 'safe') return undefined;
  return judgement.status === 'unknown' ? 'not judged in time' : judgement.complexity.summary;
}

test('every pattern is safe at any length, or is never given a text that is long', {
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

test('what is slow is seen', async () => {
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

test('no bound is named of a pattern that is gone', () => {
  const there = patternsInSources();
  expect(Object.keys(BOUNDED).filter((pattern) => !there.has(pattern))).toEqual([]);
});
