import { hash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { undefinedIfMissing } from './data-folder.ts';
import { listMigrations } from './migrations.ts';
import { StartError } from './start-error.ts';

/** New migrations by release, each file with its SHA-256. Existing newsrooms have run them. */
export type ReleasedMigrations = Record<string, Record<string, string>>;

/** Path of the list. It is not in the folder of the migrations, because the Supabase CLI rejects other files there. */
export const RELEASED_MIGRATIONS_FILE = 'supabase/released.json';

/**
 * Returns one sentence for each change to released migrations: a changed, missing or renamed file, or a new file with
 * an earlier version, which existing databases would never run.
 */
export async function releasedMigrationProblems(
  released: ReleasedMigrations,
  folder: string,
): Promise<string[]> {
  const files = (await listMigrations(folder)).map(({ file }) => file);
  const digests: Record<string, string> = Object.assign({}, ...Object.values(released));
  const newest = Object.keys(digests).sort().at(-1) ?? '';
  const problems: string[] = [];
  for (const [file, digest] of Object.entries(digests)) {
    if (!files.includes(file)) problems.push(`${file} was released, and is gone or called otherwise.`);
    else if ((await digestOf(join(folder, file))) !== digest)
      problems.push(`${file} was released, and says something else: write a migration that comes after it.`);
  }
  for (const file of files) {
    if (!(file in digests) && file < newest)
      problems.push(`${file} stands before ${newest}, which was released.`);
  }
  return problems;
}

/**
 * Returns the list with a release added. Its migrations are those that no earlier release has.
 * @throws StartError if a released migration was changed, or if the version is already listed and there are new
 *   migrations
 */
export async function addRelease(
  released: ReleasedMigrations,
  version: string,
  folder: string,
): Promise<ReleasedMigrations> {
  const { [version]: existing, ...earlier } = released;
  const problems = await releasedMigrationProblems(released, folder);
  if (problems.length > 0) throw new StartError(problems.join('\n'));
  const earlierFiles: Record<string, string> = Object.assign({}, ...Object.values(earlier));
  const newFiles: Record<string, string> = {};
  for (const { file } of await listMigrations(folder)) {
    if (!(file in earlierFiles)) newFiles[file] = await digestOf(join(folder, file));
  }
  if (existing && Object.keys(newFiles).some((file) => !(file in existing))) {
    throw new StartError(`${version} is released already: give the next one a version of its own.`);
  }
  return { ...earlier, [version]: newFiles };
}

/**
 * Records the migrations of a version in `supabase/released.json`.
 * @returns the number of these migrations
 * @throws the errors of `addRelease`
 */
export async function recordRelease(version: string): Promise<number> {
  const text = await undefinedIfMissing(readFile(RELEASED_MIGRATIONS_FILE, 'utf8'));
  const updated = await addRelease(
    JSON.parse(text ?? '{}') as ReleasedMigrations,
    version,
    'supabase/migrations',
  );
  await writeFile(RELEASED_MIGRATIONS_FILE, `${JSON.stringify(updated, null, 2)}\n`);
  return Object.keys(updated[version] ?? {}).length;
}

const digestOf = async (path: string) => hash('sha256', await readFile(path));
