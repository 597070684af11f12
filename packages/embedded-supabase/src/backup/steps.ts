import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';

/** A completed step, and how to undo it. */
export type Step = {
  undo: () => Promise<void>;
  /** Path of the replaced data. */
  aside?: string;
};

/** Takes every step or, when one fails, takes back those before it. */
export async function runSteps(steps: AsyncIterable<Step>): Promise<Step[]> {
  const doneSteps: Step[] = [];
  try {
    for await (const step of steps) doneSteps.push(step);
    return doneSteps;
  } catch (error) {
    for (const step of doneSteps.reverse()) await step.undo();
    throw error;
  }
}

/**
 * Puts a file or a folder in the place of another, which is kept under a name of its own. Either may be missing.
 * All three are on one disk.
 */
export async function* swap(incoming: string, place: string, aside: string): AsyncGenerator<Step> {
  if (existsSync(place)) {
    await rename(place, aside);
    yield { undo: () => rename(aside, place), aside };
  }
  if (existsSync(incoming)) {
    await rename(incoming, place);
    yield { undo: () => rename(place, incoming) };
  }
}
