import { hash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ifExists } from './data-folder.ts';
import { listMigrations } from './migrations.ts';
import { StartError } from './start-error.ts';

/** Of each release, the migrations that came with it, with the SHA-256 of their files: newsrooms have had them. */
export type ReleasedMigrations = Record<string, Record<string, string>>;

/** In the folder above the migrations, because the Supabase CLI rejects other files among them. */
export const RELEASED = 'supabase/released.json';

/**
 * Changes to released migrations, one sentence each: a changed, missing or renamed file, and a new file with an
 * earlier version, which existing databases would never run.
 */
export async function changedMigrations(released: ReleasedMigrations, folder: string): Promise<string[]> {
  const files = (await listMigrations(folder)).map(({ file }) => file);
  const known: Record<string, string> = Object.assign({}, ...Object.values(released));
  const newest = Object.keys(known).sort().at(-1) ?? '';
  const problems: string[] = [];
  for (const [file, sum] of Object.entries(known)) {
    if (!files.includes(file)) problems.push(`${file} was released, and is gone or called otherwise.`);
    else if ((await sumOf(join(folder, file))) !== sum)
      problems.push(`${file} was released, and says something else: write a migration that comes after it.`);
  }
  for (const file of files) {
    if (!(file in known) && file < newest)
      problems.push(`${file} stands before ${newest}, which was released.`);
  }
  return problems;
}

/**
 * Writes down the migrations of a release: those that no earlier one has.
 * @throws when an earlier one was broken, or this release has been written down with others
 */
export async function release(
  released: ReleasedMigrations,
  version: string,
  folder: string,
): Promise<ReleasedMigrations> {
  const { [version]: before, ...earlier } = released;
  const wrong = await changedMigrations(released, folder);
  if (wrong.length > 0) throw new StartError(wrong.join('\n'));
  const known: Record<string, string> = Object.assign({}, ...Object.values(earlier));
  const own: Record<string, string> = {};
  for (const { file } of await listMigrations(folder)) {
    if (!(file in known)) own[file] = await sumOf(join(folder, file));
  }
  if (before && Object.keys(own).some((file) => !(file in before))) {
    throw new StartError(`${version} is released already: give the next one a version of its own.`);
  }
  return { ...earlier, [version]: own };
}

/** Records the migrations of a version in `supabase/released.json`. @returns their number @throws as `release` */
export async function recordRelease(version: string): Promise<number> {
  const text = await ifExists(readFile(RELEASED, 'utf8'));
  const after = await release(JSON.parse(text ?? '{}') as ReleasedMigrations, version, 'supabase/migrations');
  await writeFile(RELEASED, `${JSON.stringify(after, null, 2)}\n`);
  return Object.keys(after[version] ?? {}).length;
}

const sumOf = async (path: string) => hash('sha256', await readFile(path));
