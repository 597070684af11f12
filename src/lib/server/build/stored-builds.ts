import { randomUUID } from 'node:crypto';
import { cp, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Number of earlier builds that stay, for pages opened before the last two deploys. */
const OLD_BUILDS = 2;
/** An unfinished folder is removed after this time, in ms. */
const ABANDONED_MS = 3_600_000;

const PARTIAL = '.partial-';

/**
 * Stores the browser files of a build in `<builds>/<id>` and removes old builds. Open pages find their scripts after a
 * deploy, and a new build under a running server does not remove files. Safe for several processes at once.
 * @param id of the build whose files are in `files`
 * @throws errors of the file system, after removing its partial copy
 */
export async function storeBuild(builds: string, id: string, files: string): Promise<void> {
  await mkdir(builds, { recursive: true });
  const folder = join(builds, id);
  const now = new Date();
  if (!(await touch(folder, now))) {
    const partial = join(builds, `${PARTIAL}${randomUUID()}`);
    try {
      await cp(files, partial, { recursive: true });
      await utimes(partial, now, now);
      await rename(partial, folder);
    } catch (error) {
      await rm(partial, { recursive: true, force: true });
      // Another process has stored the same build.
      if (!(await touch(folder, now))) throw error;
    }
  }
  await removeOldBuilds(builds, id, now.getTime());
}

/** Marks a folder as used now; false when it does not exist. */
const touch = (folder: string, now: Date) =>
  utimes(folder, now, now).then(
    () => true,
    () => false,
  );

/** When a folder was last used; null when another process has just renamed or removed it. */
async function ageOf(builds: string, name: string): Promise<{ name: string; usedAt: number } | null> {
  try {
    return { name, usedAt: (await stat(join(builds, name))).mtimeMs };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function removeOldBuilds(builds: string, id: string, now: number): Promise<void> {
  const folders = (await readdir(builds, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const ages = await Promise.all(folders.map(({ name }) => ageOf(builds, name)));
  const aged = ages.filter((build) => build !== null);
  const isPartial = ({ name }: { name: string }) => name.startsWith(PARTIAL);
  const others = aged.filter((build) => !isPartial(build) && build.name !== id);
  others.sort((a, b) => b.usedAt - a.usedAt);
  const abandoned = aged.filter((build) => isPartial(build) && now - build.usedAt > ABANDONED_MS);
  for (const { name } of [...others.slice(OLD_BUILDS), ...abandoned])
    await rm(join(builds, name), { recursive: true, force: true });
}

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
