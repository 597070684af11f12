import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BackupError } from './errors.ts';
import type { Step } from './steps.ts';

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
