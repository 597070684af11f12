export type SeededRandom = {
  /** Returns a number from 0 to below 1. */
  next(): number;
  /** Returns a whole number from 0 to below the limit. */
  below(limit: number): number;
  /** Returns a whole number from `min` to `max`, both included. */
  between(min: number, max: number): number;
  /** Returns true with this probability. */
  chance(probability: number): boolean;
  /** @throws if the list is empty */
  pick<Item>(items: readonly Item[]): Item;
};

/** Creates a generator whose numbers are the same for the same seed, so that a run can be repeated (mulberry32). */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    between: (min, max) => min + below(max - min + 1),
    chance: (probability) => next() < probability,
    pick: (items) => {
      if (items.length === 0) throw new Error('There is nothing to pick from.');
      return items[below(items.length)] as (typeof items)[number];
    },
  };
}
