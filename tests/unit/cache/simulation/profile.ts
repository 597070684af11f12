import type { SeededRandom } from '../../../support/random.ts';

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
  requestsUnknown: boolean;
  /** Maximum ms between two changes. */
  maxPauseMs: number;
};

/** Draws a profile. Half of all worlds lose no messages. */
export function drawProfile(random: SeededRandom): Profile {
  const drawn = {
    longest: random.pick([20, 200, 1500]),
    siteLoses: random.pick([0, 0, 0.4, 1]),
    readersLose: random.pick([0, 0, 0.2, 1]),
    renderingsFail: random.pick([0, 0, 0.1, 0.7]),
    comparisonsFail: random.pick([0, 0, 0.3]),
    requestsFail: random.pick([0, 0, 0.1]),
    cuts: random.pick([0, 2, 6]),
    outages: random.pick([0, 0, 1, 2]),
    restores: random.chance(0.15),
    pagesLast: random.chance(0.5),
    requestsUnknown: random.chance(0.5),
    maxPauseMs: random.pick([500, 3_000, 15_000]),
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
export function delayOf(random: SeededRandom, { longest }: Profile): number {
  return random.chance(0.2) ? random.between(0, longest) : random.between(0, longest / 10);
}
