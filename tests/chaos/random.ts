/** Random numbers that are the same for the same seed, so that a run can be repeated. */
export type SeededRandom = {
  /** From 0 to 1, without 1. */
  next(): number;
  /** A whole number from 0 to below the limit. */
  below(limit: number): number;
  oneOf<Item>(things: readonly Item[]): Item;
};

export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  // mulberry32
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return { next, below, oneOf: (things) => things[below(things.length)] as (typeof things)[number] };
}
