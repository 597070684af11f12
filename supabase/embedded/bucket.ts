/** So many tokens at once and so many each second, for one holder. */
export type Bucket = {
  /** Takes them if all of them are there. */
  take(tokens?: number): boolean;
  /** Seconds from the last `take` until there will be so many, one by default. */
  wait(tokens?: number): number;
};

export type Rate = {
  /** Tokens that a holder may save up. */
  capacity: number;
  perSecond: number;
};

/** @param now in milliseconds, on a clock that never goes back */
export function bucket({ capacity, perSecond }: Rate, now: () => number = () => performance.now()): Bucket {
  let level = capacity;
  let at = now();
  return {
    take(tokens = 1) {
      const time = now();
      level = Math.min(capacity, level + ((time - at) / 1000) * perSecond);
      at = time;
      if (level < tokens) return false;
      level -= tokens;
      return true;
    },
    wait: (tokens = 1) => Math.max(0, tokens - level) / perSecond,
  };
}
