/** A timer of JavaScript's counts to no more, about 25 days: asked for longer it goes off at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export type LongTimer = { stop(): void };

/** Runs something once, after as long as wanted: of a clock that was years ahead there are moments that are years away. */
export function afterLong(ms: number, run: () => void): LongTimer {
  let left = ms;
  let timer: NodeJS.Timeout;
  const go = () => {
    const part = Math.min(left, LONGEST_TIMER_MS);
    left -= part;
    timer = setTimeout(left > 0 ? go : run, part);
  };
  go();
  return { stop: () => clearTimeout(timer) };
}
