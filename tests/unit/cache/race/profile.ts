import type { Dice } from './dice.ts';

/** How bad things are in one world. Times in milliseconds, chances from 0 to 1. */
export type Profile = {
  /** Most that one step takes, now and then; most steps take a tenth of that. */
  longest: number;
  /** How many of the messages to the site, and to readers, are lost without a word. */
  siteLoses: number;
  readersLose: number;
  /** How many renderings, comparisons and requests of readers fail. */
  renderingsFail: number;
  comparisonsFail: number;
  requestsFail: number;
  /** How often lines break and the backend goes away or fails, in a minute. */
  cuts: number;
  outages: number;
  /** A backup is put back. */
  restores: boolean;
  /** Pages are kept until something ends them: what their own short life would mend is seen then. */
  pagesLast: boolean;
  /** Visitors ask for addresses that lead nowhere too, and each time the site compares. */
  strangers: boolean;
  /** Most milliseconds between two changes. */
  calm: number;
};

/** Draws how bad it is. Half of all worlds lose no message, so that what only comparisons mend is seen too. */
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
  // Numbers of which the site has never heard may be given out again: nothing could tell.
  return drawn.restores ? { ...drawn, siteLoses: 0, cuts: 0, outages: 0 } : drawn;
}

/** Nothing goes wrong any more. */
export const HEALED: Partial<Profile> = {
  siteLoses: 0,
  readersLose: 0,
  renderingsFail: 0,
  comparisonsFail: 0,
  requestsFail: 0,
};

/** Is there nothing that could keep a reader from an answer? */
export const isSound = ({ renderingsFail, requestsFail, outages, restores }: Profile) =>
  renderingsFail === 0 && requestsFail === 0 && outages === 0 && !restores;

/** How long one step takes. */
export function delayOf(dice: Dice, { longest }: Profile): number {
  return dice.chance(0.2) ? dice.between(0, longest) : dice.between(0, longest / 10);
}
