import { existsSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BackupError } from './archive.ts';

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

const markOf = (data: string) => join(data, 'restoring');

/** Says on the disk that things are being put in place: a start in between would find half a newsroom. */
export async function markRestoring(data: string): Promise<Step> {
  await writeFile(markOf(data), '', { mode: 0o600, flush: true });
  return { undo: () => unmarkRestoring(data) };
}

export async function unmarkRestoring(data: string): Promise<void> {
  await rm(markOf(data), { force: true });
}

/** @throws BackupError when a restore was ended while it put things in place */
export function refuseHalfRestored(data: string): void {
  if (!existsSync(markOf(data))) return;
  throw new BackupError(
    `A restore into ${data} was cut short: run it again, with --overwrite. What was there before is kept in the names that say before-restore.`,
  );
}
