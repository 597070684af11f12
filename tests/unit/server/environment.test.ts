import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const run = promisify(execFile);
const FILE = resolve('src/lib/server/program.ts');

/** The environment of a program that reads a `.env` file. */
async function seen(env: Record<string, string>, file: string | undefined, except: string[] = []) {
  const folder = await mkdtemp(join(tmpdir(), 'stoppress-env-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  if (file !== undefined) await writeFile(join(folder, '.env'), file);
  const script = `import { loadEnvironment } from ${JSON.stringify(FILE)};
    loadEnvironment(${JSON.stringify(except)});
    console.log(JSON.stringify(process.env));`;
  const args = ['--input-type=module', '--eval', script];
  const { stdout } = await run(process.execPath, args, { cwd: folder, env });
  return JSON.parse(stdout) as Record<string, string>;
}

test('reads values from .env that are not set', async () => {
  expect(await seen({ PORT: '1' }, 'PORT=2\nHOST=::1\n')).toMatchObject({ PORT: '1', HOST: '::1' });
});

test('works without a .env file', async () => {
  expect(await seen({ PORT: '1' }, undefined)).toMatchObject({ PORT: '1' });
});

test('ignores some variables in .env, which must be set for the process', async () => {
  const file = 'STOPPRESS_DATA=real\nDATABASE_URL=postgres://real\nHOST=::1\n';
  const environment = await seen({ STOPPRESS_DATA: 'mine' }, file, ['STOPPRESS_DATA', 'DATABASE_URL']);
  expect(environment).toMatchObject({ STOPPRESS_DATA: 'mine', HOST: '::1' });
  expect(environment).not.toHaveProperty('DATABASE_URL');
});
