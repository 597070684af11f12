import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Nobody writes a backup for so long: what is unfinished then, stays so. */
const FORGET_PARTIAL_AFTER_MS = 24 * 60 * 60 * 1000;

/**
 * Deletes the oldest backups of one kind. Only names of our own making are looked at.
 * @param keep how many stay, at least one
 */
export async function keepNewest(folder: string, kind: string, keep: number): Promise<void> {
  const ours = new RegExp(`^${kind}-\\d{8}-\\d{6}\\.tar\\.gz(\\.[0-9a-f]{8}\\.partial)?$`);
  const names = (await readdir(folder)).filter((name) => ours.test(name)).sort();
  const whole = names.filter((name) => !name.endsWith('.partial'));
  for (const name of whole.slice(0, -Math.max(1, keep))) await rm(join(folder, name));
  for (const name of names.filter((one) => one.endsWith('.partial'))) {
    const { mtimeMs } = await stat(join(folder, name));
    if (Date.now() - mtimeMs > FORGET_PARTIAL_AFTER_MS) await rm(join(folder, name));
  }
}
