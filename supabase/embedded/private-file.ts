import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncEntries } from './engine/sync-folder.ts';

/** Writes a file that only its owner may read, whole or not at all, and on the disk when this returns. */
export async function writePrivate(path: string, value: object): Promise<void> {
  await writeFile(`${path}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
  await syncEntries(dirname(path));
}

/** The value of such a file, or undefined where there is none. */
export async function readPrivate(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
