import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Puts every file of a folder on the disk. PGlite makes a new database without one fsync. */
export async function syncFolder(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() && !entry.isDirectory()) continue;
    const file = await open(join(entry.parentPath, entry.name));
    await file.sync();
    await file.close();
  }
}
