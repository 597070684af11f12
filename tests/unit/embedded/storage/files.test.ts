import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Files, openFiles } from '../../../../supabase/embedded/storage/files.ts';

let data: string;
let files: Files;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'stoppress-files-'));
  files = await openFiles(data);
});
afterEach(() => rm(data, { recursive: true }));

const TOMORROW = Date.now() + 25 * 3_600_000;

async function keep(content: string): Promise<string> {
  const path = files.newPart();
  await writeFile(path, content);
  return files.adopt(path);
}

async function read(version: string): Promise<string | undefined> {
  const file = await files.open(version).catch(() => undefined);
  const content = await file?.readFile('utf8');
  await file?.close();
  return content;
}

test('a finished part becomes a file, and goes back when its row is refused', async () => {
  const version = await keep('a');
  expect(await readdir(files.parts)).toEqual([]);
  expect(await read(version)).toBe('a');
  const path = files.newPart();
  await files.release(version, path);
  expect(await read(version)).toBeUndefined();
  expect(await readFile(path, 'utf8')).toBe('a');
});

test.each(['../../keys.json', '', 'a/b', '00000000-0000-0000-0000-00000000000g'])(
  'a row that says its version is %j has no file',
  async (version) => {
    await writeFile(join(data, 'keys.json'), 'secret');
    await expect(files.open(version)).rejects.toMatchObject({ code: 'ENOENT' });
    await files.forget([version, null]);
    expect(await readFile(join(data, 'keys.json'), 'utf8')).toBe('secret');
  },
);

test('nothing is thrown away while somebody holds the files', async () => {
  const [first, second] = [await keep('a'), await keep('b')];
  const [letGo, letGoToo] = [files.hold(), files.hold()];
  await files.forget([first]);
  await files.sweep(async () => new Set(), TOMORROW);
  await letGo();
  expect(await read(first)).toBe('a');
  await letGoToo();
  expect(await read(first)).toBeUndefined();
  expect(await read(second)).toBe('b');
});

test('what a process left behind that was ended goes after a day', async () => {
  const [kept, orphan] = [await keep('kept'), await keep('orphan')];
  const part = files.newPart();
  await writeFile(part, 'half');
  const hasRow = async (versions: string[]) => new Set(versions.filter((version) => version === kept));
  await files.sweep(hasRow);
  expect([await read(orphan), await readFile(part, 'utf8')]).toEqual(['orphan', 'half']);
  await files.sweep(hasRow, TOMORROW);
  expect([await read(kept), await read(orphan)]).toEqual(['kept', undefined]);
  expect(await readdir(files.parts)).toEqual([]);
});
