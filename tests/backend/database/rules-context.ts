import { LIMITS } from '../../../src/lib/domain/limits.ts';
import type { TestContext } from '../../support/actors.ts';
import { test } from '../../support/backend-test.ts';
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

/** Shares the backend of the worker with the tests of a file. */
export function useContext(): void {
  test.beforeAll(async ({ context: shared }) => {
    context = shared;
    for (let n = 0; n <= LIMITS.topics; n++)
      await call(context.service, 'save_topic', { slug: `topic-${n}`, name: 'T' });
  });
}
