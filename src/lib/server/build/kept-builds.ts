import { randomUUID } from 'node:crypto';
import { cp, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

/** How many other builds stay: pages that were opened before the last two deploys still find their scripts. */
const OTHERS = 2;
/** What a process left half way is nobody's after so long, in ms. */
const ABANDONED_MS = 3_600_000;

const PARTIAL = '.partial-';

/**
 * Keeps the files that a build serves to browsers in a folder of its own, `<builds>/<id>`, and those of the other
 * builds that were started last. So a page that is open finds its scripts after a deploy, and a build that is made
 * beneath a running server takes nothing from it. Several processes may do this at once.
 * @param id of the build whose files are in `files`
 * @throws what the disk says; then nothing half done is in the way
 */
export async function keepBuild(builds: string, id: string, files: string): Promise<void> {
  await mkdir(builds, { recursive: true });
  const kept = join(builds, id);
  const now = new Date();
  if (!(await touch(kept, now))) {
    const partial = join(builds, `${PARTIAL}${randomUUID()}`);
    try {
      await cp(files, partial, { recursive: true });
      await utimes(partial, now, now);
      await rename(partial, kept);
    } catch (error) {
      await rm(partial, { recursive: true, force: true });
      // Another process of the same build was faster.
      if (!(await touch(kept, now))) throw error;
    }
  }
  await forgetOthers(builds, id, now.getTime());
}

/** Notes that a folder is in use; false when there is none. */
const touch = (folder: string, now: Date) =>
  utimes(folder, now, now).then(
    () => true,
    () => false,
  );

async function forgetOthers(builds: string, id: string, now: number): Promise<void> {
  const found = (await readdir(builds, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const aged = await Promise.all(
    found.map(async ({ name }) => ({ name, usedAt: (await stat(join(builds, name))).mtimeMs })),
  );
  const isPartial = ({ name }: { name: string }) => name.startsWith(PARTIAL);
  const others = aged.filter((build) => !isPartial(build) && build.name !== id);
  others.sort((a, b) => b.usedAt - a.usedAt);
  const abandoned = aged.filter((build) => isPartial(build) && now - build.usedAt > ABANDONED_MS);
  for (const { name } of [...others.slice(OTHERS), ...abandoned])
    await rm(join(builds, name), { recursive: true, force: true });
}
