import { Registry } from 'prom-client';

/** The numbers of this process. */
export const registry = new Registry();

/**
 * Does something so many times a second at most.
 * @returns does it, or leaves it out; what is done is told how often it was left out before, where it was
 */
export function few(aSecond: number, now: () => number = () => performance.now()) {
  let second = Number.NEGATIVE_INFINITY;
  let done = 0;
  let left = 0;
  return (work: (left: number | undefined) => void): void => {
    if (now() - second >= 1000) [second, done] = [now(), 0];
    if (done >= aSecond) {
      left += 1;
      return;
    }
    done += 1;
    work(left || undefined);
    left = 0;
  };
}
