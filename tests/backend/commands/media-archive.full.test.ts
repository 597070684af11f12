import { randomUUID } from 'node:crypto';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeData } from '../../../src/lib/publishing/coverage-folder/data.server.ts';
import { readFolder } from '../../../src/lib/publishing/coverage-folder/read.ts';
import { importCoverage } from '../../../src/lib/publishing/coverage-folder/restore.server.ts';
import { serviceClient, startBackend, type TestBackend } from '../../support/backend.ts';
import { fileBlock, makeMedia } from '../../support/media.ts';
import { call, callServer, paragraph } from '../../support/newsroom.ts';

/* A video in the folder of a coverage, from one newsroom to another. */

let backend: TestBackend;
let other: TestBackend;
let folders: string;
const bytes = makeMedia('mp4', 300_000);
const file = randomUUID();
const path = `/media/${file}/${bytes.length}-94.mp4`;
const slug = 'the-bridge';
const folder = (name: string) => join(folders, name);
const copyOf = (name: string) => join(folder(name), `media/${file}.mp4`);

beforeAll(async () => {
  [backend, other] = await Promise.all([
    startBackend({ accessList: false }),
    startBackend({ accessList: false }),
  ]);
  folders = await mkdtemp(join(tmpdir(), 'stoppress-media-'));
  const service = serviceClient(backend);
  const coverage_id = randomUUID();
  await call(service, 'create_coverage', { coverage_id, content: { slug, headline: 'The bridge' } });
  await call(service, 'set_coverage_state', { coverage_id, state: 'live' });
  await call(service, 'save_media_file', { file_id: file, coverage_id, format: 'mp4', seconds: 94 });
  const { error } = await service.storage.from('media').upload(file, bytes, { contentType: 'video/mp4' });
  if (error) throw error;
  await callServer(service, 'record_media_check', { file_id: file, bytes: bytes.length });
  const content = { body: [paragraph('Look'), fileBlock(path)] };
  await call(service, 'publish_update', { coverage_id, update_id: randomUUID(), content });
  await writeData(service, slug, folder('out'));
});
afterAll(async () => {
  await Promise.all([backend.stop(), other.stop()]);
  await rm(folders, { recursive: true, force: true });
});

test('the folder has the bytes of the video', async () => {
  expect((await readFile(copyOf('out'))).equals(bytes)).toBe(true);
});

test.each([
  ['is missing', () => rm(copyOf('spoiled')), /is missing/],
  ['has another size', () => appendFile(copyOf('spoiled'), 'x'), /must have 300,000 bytes/],
  ['is something else', () => writeFile(copyOf('spoiled'), Buffer.alloc(bytes.length)), /is not MP4 inside/],
])('a folder whose video %s is refused, and leaves nothing', async (_, spoil, error) => {
  await rm(folder('spoiled'), { recursive: true, force: true });
  await writeData(serviceClient(backend), slug, folder('spoiled'));
  await spoil();
  await expect(readFolder(folder('spoiled'))).rejects.toThrow(error);
  expect((await serviceClient(other).from('media_files').select('id')).data).toEqual([]);
});

test('another newsroom imports the video with the same bytes, and exports the same folder', async () => {
  const service = serviceClient(other);
  const imported = await importCoverage(service, await readFolder(folder('out')));
  expect(imported).toMatchObject({ slug, count: 1, unchanged: false });
  expect(await callServer(service, 'read_media_file', { file_id: file })).toMatchObject({
    state: 'ready',
    path,
    published: true,
  });
  const { data } = await service.storage.from('media').download(file);
  expect(Buffer.from(new Uint8Array((await data?.arrayBuffer()) ?? [])).equals(bytes)).toBe(true);
  await writeData(service, slug, folder('again'));
  for (const name of [`media/${file}.mp4`, 'data/updates.jsonl', 'data/coverage.json']) {
    const [first, second] = await Promise.all(
      ['out', 'again'].map((copy) => readFile(join(folder(copy), name))),
    );
    expect(second?.equals(first ?? Buffer.alloc(0)), name).toBe(true);
  }
  const again = await importCoverage(service, await readFolder(folder('out')));
  expect(again.unchanged).toBe(true);
});
