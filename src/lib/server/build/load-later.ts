import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Delay, so that the first requests after the start come first. In milliseconds. */
const DELAY_MS = 30_000;

/**
 * Loads the remaining modules of the built program some time after the start, because the next build deletes their
 * files while this server still runs.
 * @param folder with the modules
 * @returns cancels it
 */
export function preloadModules(folder: string): () => void {
  const timer = setTimeout(async () => {
    const names = await readdir(folder).catch(() => []);
    // A module that cannot be loaded fails the request that needs it, with an error message.
    await Promise.allSettled(names.map((name) => import(pathToFileURL(join(folder, name)).href)));
  }, DELAY_MS);
  timer.unref();
  return () => clearTimeout(timer);
}
