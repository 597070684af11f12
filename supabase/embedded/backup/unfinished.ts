import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const folderOf = (data: string) => join(data, 'unfinished');

/** Where a backup or a restore keeps what it is still working on: on the disk of the data, for its owner alone. */
export async function unfinishedFolder(data: string): Promise<string> {
  const folder = folderOf(data);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Throws away what was left by a process that was ended in the middle. Only for who has taken the data folder. */
export async function forgetUnfinished(data: string): Promise<void> {
  await rm(folderOf(data), { recursive: true, force: true });
}
