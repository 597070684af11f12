import type { Dice } from './dice.ts';

/** Conditions of one world. Times in ms, probabilities from 0 to 1. */
export type Profile = {
  /** Maximum duration of a step. Most steps take a tenth of it. */
  longest: number;
  /** Share of messages to the site, and to readers, that are lost. */
  siteLoses: number;
  readersLose: number;
  /** Share of renderings, comparisons and readers' requests that fail. */
  renderingsFail: number;
  comparisonsFail: number;
  requestsFail: number;
  /** Broken connections and failures of the backend per minute. */
  cuts: number;
  outages: number;
  /** A backup is restored. */
  restores: boolean;
  /** Pages have long lifetimes, so that only invalidation corrects them. */
  pagesLast: boolean;
  /** Visitors also request missing pages, which cause comparisons. */
  strangers: boolean;
  /** Maximum ms between two changes. */
  calm: number;
};

/** Draws a profile. Half of all worlds lose no messages. */
export function drawProfile(dice: Dice): Profile {
  const drawn = {
    longest: dice.pick([20, 200, 1500]),
    siteLoses: dice.pick([0, 0, 0.4, 1]),
    readersLose: dice.pick([0, 0, 0.2, 1]),
    renderingsFail: dice.pick([0, 0, 0.1, 0.7]),
    comparisonsFail: dice.pick([0, 0, 0.3]),
    requestsFail: dice.pick([0, 0, 0.1]),
    cuts: dice.pick([0, 2, 6]),
    outages: dice.pick([0, 0, 1, 2]),
    restores: dice.chance(0.15),
    pagesLast: dice.chance(0.5),
    strangers: dice.chance(0.5),
    calm: dice.pick([500, 3_000, 15_000]),
  };
  // After a restore, sequences that the site has not seen may be used again, which cannot be detected.
  return drawn.restores ? { ...drawn, siteLoses: 0, cuts: 0, outages: 0 } : drawn;
}

/** A profile without failures. */
export const HEALED: Partial<Profile> = {
  siteLoses: 0,
  readersLose: 0,
  renderingsFail: 0,
  comparisonsFail: 0,
  requestsFail: 0,
};

/** Whether nothing prevents responses. */
export const isSound = ({ renderingsFail, requestsFail, outages, restores }: Profile) =>
  renderingsFail === 0 && requestsFail === 0 && outages === 0 && !restores;

/** Duration of a step. */
export function delayOf(dice: Dice, { longest }: Profile): number {
  return dice.chance(0.2) ? dice.between(0, longest) : dice.between(0, longest / 10);
}
