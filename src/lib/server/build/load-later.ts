import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** First the readers who waited for the start. */
const LATER_MS = 30_000;

/**
 * Loads, some time after the start, what of the built program nobody has asked for yet: the next build takes its files
 * away, and this server is to answer until it is started anew.
 * @param folder with the parts of the program
 * @returns calls it off
 */
export function loadLater(folder: string): () => void {
  const timer = setTimeout(async () => {
    const names = await readdir(folder).catch(() => []);
    // A part that cannot be loaded fails the request that needs it, and says why there.
    await Promise.allSettled(names.map((name) => import(pathToFileURL(join(folder, name)).href)));
  }, LATER_MS);
  timer.unref();
  return () => clearTimeout(timer);
}
