import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Puts every file of a folder on the disk. PGlite makes a new database without one fsync. */
export async function syncFolder(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() && !entry.isDirectory()) continue;
    await sync(join(entry.parentPath, entry.name));
  }
}

/** Puts the names in a folder on the disk, as a renaming leaves them. */
export const syncEntries = (folder: string) => sync(folder);

async function sync(path: string): Promise<void> {
  const handle = await open(path);
  await handle.sync();
  await handle.close();
}
