import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Files, openFiles } from '../../../../packages/embedded-supabase/src/storage/files.ts';

let data: string;
let files: Files;
/** Free bytes on the disk. */
let free: number;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'stoppress-files-'));
  free = 10 * GIB;
  files = await openFiles(data, async () => free);
});
afterEach(() => rm(data, { recursive: true }));

const [MIB, GIB] = [2 ** 20, 2 ** 30];
const TOMORROW = Date.now() + 25 * 3_600_000;

async function storeFile(content: string): Promise<string> {
  const { path, discard } = await files.newUploadFile(content.length, 'person');
  await writeFile(path, content);
  const version = await files.store(path, 'person');
  await discard();
  return version;
}

async function read(version: string): Promise<string | undefined> {
  const file = await files.open(version).catch(() => undefined);
  const content = await file?.readFile('utf8');
  await file?.close();
  return content;
}

test('a finished part becomes a file, and goes back if its row is refused', async () => {
  const version = await storeFile('a');
  expect(await readdir(files.uploadsFolder)).toEqual([]);
  expect(await read(version)).toBe('a');
  const { path } = await files.newUploadFile(1, 'person');
  await files.undoStore(version, path);
  expect(await read(version)).toBeUndefined();
  expect(await readFile(path, 'utf8')).toBe('a');
});

test.each(['../../keys.json', '', 'a/b', '00000000-0000-0000-0000-00000000000g'])(
  'opens no file for a row with the version %j',
  async (version) => {
    await writeFile(join(data, 'keys.json'), 'secret');
    await expect(files.open(version)).rejects.toMatchObject({ code: 'ENOENT' });
    await files.delete([version, null]);
    expect(await readFile(join(data, 'keys.json'), 'utf8')).toBe('secret');
  },
);

test('files are not deleted while they are held', async () => {
  const [first, second] = [await storeFile('a'), await storeFile('b')];
  const [release, releaseSecond] = [files.deferDeletions(), files.deferDeletions()];
  await files.delete([first]);
  await files.deleteOrphans(async () => new Set(), TOMORROW);
  await release();
  expect(await read(first)).toBe('a');
  await releaseSecond();
  expect(await read(first)).toBeUndefined();
  expect(await read(second)).toBe('b');
});

test('files of an ended process are deleted after a day', async () => {
  const [stored, orphan] = [await storeFile('stored'), await storeFile('orphan')];
  const { path: uploadFile } = await files.newUploadFile(4, 'person');
  await writeFile(uploadFile, 'half');
  const hasRow = async (versions: string[]) => new Set(versions.filter((version) => version === stored));
  await files.deleteOrphans(hasRow);
  expect([await read(orphan), await readFile(uploadFile, 'utf8')]).toEqual(['orphan', 'half']);
  await files.deleteOrphans(hasRow, TOMORROW);
  expect([await read(stored), await read(orphan)]).toEqual(['stored', undefined]);
  expect(await readdir(files.uploadsFolder)).toEqual([]);
});

const refused = { status: 507, code: 'InsufficientStorage' };

test('concurrent uploads leave space for the database', async () => {
  const version = await storeFile('x'.repeat(100));
  free = 512 * MIB + 250;
  const uploadFile = await files.newUploadFile(100, 'person');
  const copied = await files.copy(version);
  await expect(files.newUploadFile(51, 'person')).rejects.toMatchObject(refused);
  await expect(files.copy(version)).rejects.toMatchObject(refused);
  const stop = { person: 40, signature: 0 };
  files.diskSpace.includeReservations(() => stop);
  await expect(files.newUploadFile(11, 'person')).rejects.toMatchObject(refused);
  await copied.discard();
  await copied.discard();
  expect(await readdir(files.uploadsFolder)).toEqual([]);
  await files.newUploadFile(110, 'person');
  await expect(files.newUploadFile(1, 'person')).rejects.toMatchObject(refused);
  await uploadFile.discard();
  await files.newUploadFile(100, 'person');
});

test('signed uploads may fill a quarter of the free space', async () => {
  free = 512 * MIB + 1000;
  const uploadFile = await files.newUploadFile(200, 'signature');
  await expect(files.newUploadFile(51, 'signature')).rejects.toMatchObject(refused);
  await (await files.newUploadFile(700, 'person')).discard();
  await writeFile(uploadFile.path, 'x'.repeat(200));
  const version = await files.store(uploadFile.path, 'signature');
  await uploadFile.discard();
  free -= 200;
  await expect(files.newUploadFile(51, 'signature')).rejects.toMatchObject(refused);
  await (await files.newUploadFile(50, 'signature')).discard();
  await files.delete([version]);
  free += 200;
  await files.newUploadFile(250, 'signature');
});
