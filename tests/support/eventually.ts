import { vi } from 'vitest';

/** A busy machine is slow, so waiting for a condition may take longer than the second that vitest allows. */
const LONGEST_MS = 30_000;

/** Repeats a check until it throws nothing. @returns its result */
export const eventually = <Result>(check: () => Result | Promise<Result>): Promise<Result> =>
  vi.waitFor(check, { timeout: LONGEST_MS });
