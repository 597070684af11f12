export type SeededRandom = ReturnType<typeof createSeededRandom>;

/** Reproducible random numbers. */
export function createSeededRandom(seed: number) {
  let state = seed >>> 0;

  /** A number from 0 to 1 (mulberry32). */
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    between,
    chance: (part: number) => next() < part,
    pick: <T>(from: readonly T[]): T => {
      const picked = from[between(0, from.length - 1)];
      if (picked === undefined) throw new Error('There is nothing to pick from.');
      return picked;
    },
  };
}
