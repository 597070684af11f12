import { afterAll, beforeAll } from 'vitest';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { openTestContext, type TestContext } from '../../support/actors.ts';
import { call } from '../../support/newsroom.ts';

export let context: TestContext;

export const x = (times: number) => 'x'.repeat(times);

/** Invalid values of the interval between two checks. */
export const NO_INTERVALS = [
  LIMITS.check_interval_min - 1,
  LIMITS.check_interval_max + 1,
  10.5,
  -10,
  1e12,
  '10',
  true,
  [10],
];

/** Starts a backend for the tests of a file. */
export function useContext(): void {
  beforeAll(async () => {
    context = await openTestContext();
    for (let n = 0; n <= LIMITS.topics; n++)
      await call(context.service, 'save_topic', { slug: `topic-${n}`, name: 'T' });
  });
  afterAll(() => context.stop());
}
