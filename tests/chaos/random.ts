/** Pseudorandom numbers from a seed, so that a run can be repeated. */
export type Chance = {
  /** From 0 up to 1. */
  next(): number;
  /** An integer from 0 up to a limit. */
  below(most: number): number;
  oneOf<Thing>(things: readonly Thing[]): Thing;
};

export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  // mulberry32
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (most: number) => Math.floor(next() * most);
  return { next, below, oneOf: (things) => things[below(things.length)] as (typeof things)[number] };
}
