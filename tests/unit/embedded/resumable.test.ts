import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Upload } from '@tus/server';
import { expect, onTestFinished, test } from 'vitest';
import {
  openUploadLocks,
  ResumableUploadStore,
  UPLOAD_LIFETIME_MS,
} from '../../../packages/embedded-supabase/src/storage/resumable-uploads.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stoppress-parts-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** An upload that was created some time ago. */
async function begin(
  uploads: ResumableUploadStore,
  owner: string,
  agoMs = 0,
  bytes = '12345',
): Promise<string> {
  const by = owner.startsWith('signature') ? 'signature' : 'person';
  const id = uploads.reserve({ owner, bucket: 'photos', name: 'x', upsert: false, by, room: 10 });
  const creation_date = new Date(Date.now() - agoMs).toISOString();
  await uploads.create(new Upload({ id, size: 10, offset: 0, metadata: { objectName: 'x' }, creation_date }));
  if (bytes) await uploads.write(Readable.from([Buffer.from(bytes)]), id, 0);
  return id;
}

test('uploads survive the process, but not a day', async () => {
  const folder = await newFolder();
  const uploads = await ResumableUploadStore.open(folder);
  const old = await begin(uploads, 'ada', UPLOAD_LIFETIME_MS + 1000);
  const older = await begin(uploads, 'ada', UPLOAD_LIFETIME_MS + 2000);
  const fresh = await begin(uploads, 'ada', UPLOAD_LIFETIME_MS - 60_000);
  const finished = await begin(uploads, 'ada');
  await uploads.markFinished(finished);
  const other = await begin(uploads, 'ben');
  expect(uploads.unfinishedOf('ada').map(({ id }) => id)).toEqual([older, old, fresh]);
  expect(uploads.reservedBytes).toEqual({ person: 40, signature: 0 });

  // Files of a process that ended between two writes.
  for (const name of ['bytes', `${fresh}.json.x.new`, 'half.json']) await writeFile(join(folder, name), '{"');
  const again = await ResumableUploadStore.open(folder);
  expect((await readdir(folder)).sort()).toEqual(
    [fresh, `${fresh}.json`, `${finished}.json`, other, `${other}.json`].sort(),
  );
  expect(await again.getUpload(fresh)).toMatchObject({ offset: 5, size: 10, metadata: { objectName: 'x' } });
  expect(await again.getUpload(finished)).toMatchObject({ offset: 10, size: 10 });
  expect(again.find(other)).toMatchObject({ owner: 'ben', finished: false });
  expect(again.find(old)).toBeUndefined();

  const tomorrow = Date.now() + UPLOAD_LIFETIME_MS + 1000;
  await again.deleteExpiredUploads((id) => id === other, tomorrow);
  expect((await readdir(folder)).sort()).toEqual([other, `${other}.json`].sort());
  await again.deleteExpiredUploads(undefined, tomorrow);
  expect(await readdir(folder)).toEqual([]);
});

test('releases the reserved space when an upload is refused', async () => {
  const uploads = await ResumableUploadStore.open(await newFolder());
  const id = uploads.reserve({
    owner: 'ada',
    bucket: 'photos',
    name: 'x',
    upsert: false,
    by: 'person',
    room: 10,
  });
  expect([uploads.reservedBytes.person, uploads.maxBytesOf(id)]).toEqual([10, 10]);
  uploads.cancelReservation(id);
  expect([uploads.reservedBytes.person, uploads.maxBytesOf(id)]).toEqual([0, 0]);
  await expect(uploads.create(new Upload({ id, size: 10, offset: 0 }))).rejects.toMatchObject({
    status_code: 404,
  });
});

test('deletes uploads with a signature after some minutes without data', async () => {
  const uploads = await ResumableUploadStore.open(await newFolder());
  const ago = 6 * 60_000;
  const remaining = [
    await begin(uploads, 'signature:x', ago),
    await begin(uploads, 'signature:x', 0, ''),
    await begin(uploads, 'ada', ago, ''),
    await begin(uploads, 'signature:busy', ago, ''),
  ];
  const deleted = await begin(uploads, 'signature:x', ago, '');
  expect(uploads.reservedBytes).toEqual({ person: 10, signature: 40 });
  await uploads.deleteEmptyUploads((id) => id === remaining[3]);
  expect([...remaining, deleted].filter((id) => uploads.find(id))).toEqual(remaining);
});

test('waits for a request that makes progress, and not for a stalled one', async () => {
  const locks = openUploadLocks({ waitMs: 400, stalledAfterMs: 200, pollIntervalMs: 10 });
  const { signal } = new AbortController();
  const first = locks.newLock('a');
  await first.lock(signal, () => first.unlock());
  expect([locks.isBusy('a'), locks.isBusy('b')]).toEqual([true, false]);
  const alive = setInterval(() => locks.recordProgress('a'), 20);
  const refused = locks.newLock('a').lock(signal, () => {});
  await expect(refused).rejects.toMatchObject({ status_code: 423 });
  clearInterval(alive);

  const second = locks.newLock('a');
  await second.lock(signal, () => {});
  const third = locks.newLock('a').lock(signal, () => {});
  await second.unlock();
  await third;
  expect(locks.isBusy('a')).toBe(true);
});
