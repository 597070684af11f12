import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfigFile } from '../../../../packages/embedded-supabase/src/config.ts';
import {
  parseBinarySize,
  parseDecimalSize,
  readStorageConfig,
} from '../../../../packages/embedded-supabase/src/storage/buckets.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stoppress-config-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function read(document: string) {
  const file = join(folder, 'config.toml');
  await writeFile(file, document);
  return readStorageConfig(await readConfigFile(file));
}

test("buckets have the values of config.toml, and the CLI's defaults", async () => {
  const document = `
    [storage]
    file_size_limit = "50MiB"
    [storage.buckets.plain]
    [storage.buckets.pictures]
    public = true
    file_size_limit = "20MB"
    allowed_mime_types = ["image/*"]`;
  expect(await read(document)).toEqual({
    fileSizeLimit: 50 * 2 ** 20,
    buckets: [
      { id: 'plain', public: false, file_size_limit: null, allowed_mime_types: null },
      { id: 'pictures', public: true, file_size_limit: 20 * 2 ** 20, allowed_mime_types: ['image/*'] },
    ],
  });
});

test.each([
  ['[storage]\nfile_size_limit = "much"', 'storage.file_size_limit'],
  ['[storage]\nfile_size_limit = "1B"\n[storage.buckets.a]\npublic = "yes"', 'storage.buckets.a.public'],
  [
    '[storage]\nfile_size_limit = "1B"\n[storage.buckets.a]\nallowed_mime_types = [1]',
    'storage.buckets.a.allowed_mime_types',
  ],
  ['[storage]\nfile_size_limit = "1B"\nbuckets = 1', 'storage.buckets'],
])('refuses %j and names the key', async (document, key) => {
  await expect(read(document)).rejects.toThrow(`${key} `);
});

test.each([
  ['20MB', 20_000_000, 20 * 2 ** 20],
  ['1.5kb', 1500, 1536],
  ['2GB', 2e9, 2 * 2 ** 30],
  ['7B', 7, 7],
  ['20MiB', undefined, 20 * 2 ** 20],
  ['20', undefined, 20],
  ['MB', undefined, undefined],
  ['-1MB', undefined, undefined],
  ['1e3MB', undefined, undefined],
])('reads %s as %s bytes from a client, and as %s in config.toml', (size, decimal, binary) => {
  expect([parseDecimalSize(size), parseBinarySize(size)]).toEqual([decimal, binary]);
});
