import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  addRelease,
  RELEASED_MIGRATIONS_FILE,
  type ReleasedMigrations,
  releasedMigrationProblems,
} from '../../../packages/embedded-supabase/src/migrations.ts';

const MIGRATIONS = 'supabase/migrations';

async function copy(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stoppress-released-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(MIGRATIONS, folder, { recursive: true });
  return folder;
}

test('released migrations are unchanged', async () => {
  const released = JSON.parse(await readFile(RELEASED_MIGRATIONS_FILE, 'utf8')) as ReleasedMigrations;
  expect(await releasedMigrationProblems(released, MIGRATIONS)).toEqual([]);
  expect(Object.keys(released)).toContain('0.1.0');
});

test('reports released migrations that are changed, deleted, renamed, or preceded by a new one', async () => {
  const folder = await copy();
  const released = await addRelease({}, '9.0.0', folder);
  expect(await releasedMigrationProblems(released, folder)).toEqual([]);
  const [first = '', second = '', third = ''] = (await readdir(folder)).sort();
  await writeFile(join(folder, first), `${await readFile(join(folder, first), 'utf8')}\n-- A comment.\n`);
  await rename(join(folder, second), join(folder, second.replace('_', '_very_')));
  await rm(join(folder, third));
  expect(await releasedMigrationProblems(released, folder)).toEqual([
    expect.stringContaining(`${first} was released, and says something else`),
    `${second} was released, and is gone or called otherwise.`,
    `${third} was released, and is gone or called otherwise.`,
    expect.stringContaining(`${second.replace('_', '_very_')} stands before`),
  ]);
  await expect(addRelease(released, '9.1.0', folder)).rejects.toThrow('says something else');
});

test('a release lists migrations that no earlier one had, and is recorded once', async () => {
  const folder = await copy();
  const first = await addRelease({}, '9.0.0', folder);
  await writeFile(join(folder, '20991231000000_later.sql'), 'select 1;');
  expect(await releasedMigrationProblems(first, folder)).toEqual([]);
  await expect(addRelease(first, '9.0.0', folder)).rejects.toThrow('is released already');
  const both = await addRelease(first, '9.1.0', folder);
  expect(Object.keys(both['9.1.0'] ?? {})).toEqual(['20991231000000_later.sql']);
  expect(both['9.0.0']).toEqual(first['9.0.0']);
});
