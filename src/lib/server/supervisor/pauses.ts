/** How long what died is left alone before it is started again. In milliseconds. */
export type Pauses = {
  shortest: number;
  longest: number;
  /** Who lived so long is not a sick one that died again. */
  healthy: number;
};

export const PAUSES: Pauses = { shortest: 250, longest: 30_000, healthy: 60_000 };

/** Each pause is twice the one before, with up to a quarter more or less, so that several machines do not beat in time. */
export function openPauses({ shortest, longest, healthy }: Pauses = PAUSES, chance = Math.random) {
  let next = shortest;
  return {
    /** @param lived how long it ran, in ms */
    after(lived: number): number {
      if (lived >= healthy) next = shortest;
      const pause = next;
      next = Math.min(next * 2, longest);
      return Math.round(pause * (0.75 + chance() / 2));
    },
  };
}
