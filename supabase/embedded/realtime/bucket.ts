/** So many tokens at once and so many each second, for one holder. */
export type Bucket = {
  /** Takes them if all of them are there. */
  take(tokens?: number): boolean;
};

/** @param now in milliseconds, on a clock that never goes back */
export function bucket(
  { capacity, perSecond }: { capacity: number; perSecond: number },
  now: () => number = () => performance.now(),
): Bucket {
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
  };
}
