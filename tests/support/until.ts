import { setTimeout as pause } from 'node:timers/promises';

/** Pause between two checks, in milliseconds. */
const POLL_MS = 20;
/** Longer than the interval in which a desk refetches. */
const LONGEST_MS = 60_000;

/**
 * Waits for a condition, also outside of the test runner.
 *
 * @param expectation sentence that states the condition. The error message begins with it
 * @throws Error when the condition is not met in time
 */
export async function until(
  expectation: string,
  isMet: () => boolean | Promise<boolean>,
  longestMs = LONGEST_MS,
): Promise<void> {
  const end = Date.now() + longestMs;
  while (!(await isMet())) {
    if (Date.now() > end) throw new Error(`${expectation}, but not within ${longestMs / 1000} s.`);
    await pause(POLL_MS);
  }
}
