import { Registry } from 'prom-client';

/** All metrics of this process. */
export const registry = new Registry();

/**
 * Runs at most this many jobs a second and skips the others.
 * @returns a function that runs or skips a job; a job that runs gets the number of those skipped before it, if any
 */
export function throttle(perSecond: number, now: () => number = () => performance.now()) {
  let second = Number.NEGATIVE_INFINITY;
  let done = 0;
  let skipped = 0;
  return (work: (skipped: number | undefined) => void): void => {
    if (now() - second >= 1000) [second, done] = [now(), 0];
    if (done >= perSecond) {
      skipped += 1;
      return;
    }
    done += 1;
    work(skipped || undefined);
    skipped = 0;
  };
}
