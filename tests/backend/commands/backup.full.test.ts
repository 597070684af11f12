import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startBackend, type TestBackend } from '../../support/backend.ts';
import { dataEnvironment, siteSettings, testDataFolders } from '../../support/data-folders.ts';

vi.setConfig({ testTimeout: 120_000 });

const run = promisify(execFile);
const { missing, remove: forget } = testDataFolders();

let folder: string;
let backend: TestBackend;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stoppress-commands-'));
  backend = await startBackend();
});
afterAll(async () => {
  await backend.stop();
  await forget();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a command in the project's folder, with the caller's folder in INIT_CWD as npm does. */
async function command(name: 'backup' | 'restore', environment: Record<string, string>, ...args: string[]) {
  const env = { PATH: process.env.PATH, INIT_CWD: folder, ...siteSettings(environment) };
  const outcome = await run(process.execPath, ['src/lib/cli/data.ts', name, ...args], { env }).catch(
    (error: unknown) => error as { stdout: string; stderr: string; code: number },
  );
  return { code: 0, ...outcome };
}

const ROWS = /[\d,]+ rows, 0 files, [\d,.]+ kB, [\d,.]+ s\n$/;

test("backs a running newsroom up to the caller's folder, and restores it from there", async () => {
  const made = await command('backup', dataEnvironment(backend.data), '--to', 'mine.tar.gz');
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(made.stdout).toMatch(ROWS);
  expect(made.stdout).toContain(`${join(folder, 'mine.tar.gz')}: `);

  const again = await command('backup', dataEnvironment(backend.data), '--to', 'mine.tar.gz');
  expect(again).toMatchObject({ code: 1, stdout: '' });
  expect(again.stderr).toBe(`There is a file ${join(folder, 'mine.tar.gz')} already: name another one.\n`);

  const other = await missing();
  const restored = await command('restore', other.environment, 'mine.tar.gz');
  expect(restored).toMatchObject({ code: 0, stderr: '' });
  expect(restored.stdout).toContain(`Restored from ${join(folder, 'mine.tar.gz')}: `);
  expect(restored.stdout).toContain('Everyone must sign in again.');

  const over = await command('restore', other.environment, 'mine.tar.gz');
  expect(over.code).toBe(1);
  expect(over.stderr).toContain('use --overwrite');
  const told = await command('restore', other.environment, 'mine.tar.gz', '--overwrite');
  expect(told.code).toBe(0);
  expect(told.stdout).toContain('The previous data is in ');
});

test('writes to the backup folder by default, and chooses a name in a given folder', async () => {
  const backups = join(folder, 'kept');
  const made = await command('backup', { ...dataEnvironment(backend.data), STOPPRESS_BACKUPS: backups });
  expect(made.code).toBe(0);
  const named = await command('backup', dataEnvironment(backend.data), '--to', 'new/');
  expect(named.code).toBe(0);
  for (const name of ['kept', 'new']) {
    expect(await readdir(join(folder, name))).toEqual([
      expect.stringMatching(/^stoppress-\d{8}-\d{6}\.tar\.gz$/),
    ]);
  }
});

const HOSTED = {
  PUBLIC_SUPABASE_URL: 'https://project.supabase.co',
  PUBLIC_SUPABASE_PUBLISHABLE_KEY: 'public',
  SUPABASE_SECRET_KEY: 'secret',
};

test.each<['backup' | 'restore', string, string[], Record<string, string>]>([
  ['backup', 'Usage: npm run backup', ['--too', 'x'], {}],
  ['backup', 'Usage: npm run backup', ['x'], {}],
  ['restore', 'Usage: npm run restore', [], {}],
  ['restore', 'Usage: npm run restore', ['a', 'b'], {}],
  ['restore', 'Usage: npm run restore', ['a', '--force'], {}],
  ['restore', 'There is no /none/a.tar.gz.', ['/none/a.tar.gz'], { STOPPRESS_DATA: '/tmp/none-at-all' }],
  ['backup', 'There is no newsroom in /none.', [], { STOPPRESS_DATA: '/none' }],
  ['backup', 'is a Supabase project. Back it up and restore it there', [], HOSTED],
  ['restore', 'is a Supabase project. Back it up and restore it there', ['a'], HOSTED],
])('%s reports the mistake: %s %o', async (name, sentence, args, environment) => {
  const outcome = await command(name, environment, ...args);
  expect(outcome).toMatchObject({ code: 1, stdout: '' });
  expect(outcome.stderr).toContain(sentence);
  expect(outcome.stderr).not.toMatch(/\n./);
});
