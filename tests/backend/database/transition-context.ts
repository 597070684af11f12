import { afterAll, beforeAll } from 'vitest';
import { openTestContext, type TestContext } from '../../support/actors.ts';

export let context: TestContext;

/** Starts a backend for the tests of a file. */
export function useContext(): void {
  beforeAll(async () => {
    context = await openTestContext();
  });
  afterAll(() => context.stop());
}
