import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Upload } from '@tus/server';
import { expect, onTestFinished, test } from 'vitest';
import {
  openUploadLocks,
  Parts,
  UPLOAD_LIFETIME_MS,
} from '../../../packages/embedded-supabase/src/storage/resumable-parts.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stoppress-parts-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** An upload that was created some time ago. */
async function begin(parts: Parts, owner: string, agoMs = 0, bytes = '12345'): Promise<string> {
  const by = owner.startsWith('signature') ? 'signature' : 'person';
  const id = parts.expect({ owner, bucket: 'photos', name: 'x', upsert: false, by, room: 10 });
  const creation_date = new Date(Date.now() - agoMs).toISOString();
  await parts.create(new Upload({ id, size: 10, offset: 0, metadata: { objectName: 'x' }, creation_date }));
  if (bytes) await parts.write(Readable.from([Buffer.from(bytes)]), id, 0);
  return id;
}

test('parts survive the process, but not a day', async () => {
  const folder = await newFolder();
  const parts = await Parts.open(folder);
  const old = await begin(parts, 'ada', UPLOAD_LIFETIME_MS + 1000);
  const older = await begin(parts, 'ada', UPLOAD_LIFETIME_MS + 2000);
  const fresh = await begin(parts, 'ada', UPLOAD_LIFETIME_MS - 60_000);
  const finished = await begin(parts, 'ada');
  await parts.finish(finished);
  const other = await begin(parts, 'ben');
  expect(parts.heldBy('ada').map(({ id }) => id)).toEqual([older, old, fresh]);
  expect(parts.promised).toEqual({ person: 40, signature: 0 });

  // Files of a process that ended between two writes.
  for (const name of ['bytes', `${fresh}.json.x.new`, 'half.json']) await writeFile(join(folder, name), '{"');
  const again = await Parts.open(folder);
  expect((await readdir(folder)).sort()).toEqual(
    [fresh, `${fresh}.json`, `${finished}.json`, other, `${other}.json`].sort(),
  );
  expect(await again.getUpload(fresh)).toMatchObject({ offset: 5, size: 10, metadata: { objectName: 'x' } });
  expect(await again.getUpload(finished)).toMatchObject({ offset: 10, size: 10 });
  expect(again.find(other)).toMatchObject({ owner: 'ben', finished: false });
  expect(again.find(old)).toBeUndefined();

  const tomorrow = Date.now() + UPLOAD_LIFETIME_MS + 1000;
  await again.sweep((id) => id === other, tomorrow);
  expect((await readdir(folder)).sort()).toEqual([other, `${other}.json`].sort());
  await again.sweep(undefined, tomorrow);
  expect(await readdir(folder)).toEqual([]);
});

test('releases the promised space when an upload is refused', async () => {
  const parts = await Parts.open(await newFolder());
  const id = parts.expect({
    owner: 'ada',
    bucket: 'photos',
    name: 'x',
    upsert: false,
    by: 'person',
    room: 10,
  });
  expect([parts.promised.person, parts.roomFor(id)]).toEqual([10, 10]);
  parts.dismiss(id);
  expect([parts.promised.person, parts.roomFor(id)]).toEqual([0, 0]);
  await expect(parts.create(new Upload({ id, size: 10, offset: 0 }))).rejects.toMatchObject({
    status_code: 404,
  });
});

test('deletes uploads with a signature after some minutes without data', async () => {
  const parts = await Parts.open(await newFolder());
  const ago = 6 * 60_000;
  const remaining = [
    await begin(parts, 'signature:x', ago),
    await begin(parts, 'signature:x', 0, ''),
    await begin(parts, 'ada', ago, ''),
    await begin(parts, 'signature:busy', ago, ''),
  ];
  const deleted = await begin(parts, 'signature:x', ago, '');
  expect(parts.promised).toEqual({ person: 10, signature: 40 });
  await parts.sweepEmpty((id) => id === remaining[3]);
  expect([...remaining, deleted].filter((id) => parts.find(id))).toEqual(remaining);
});

test('waits for a request that makes progress, and not for a stalled one', async () => {
  const locks = openUploadLocks({ waitMs: 400, quiet: 200, look: 10 });
  const { signal } = new AbortController();
  const first = locks.newLock('a');
  await first.lock(signal, () => first.unlock());
  expect([locks.isBusy('a'), locks.isBusy('b')]).toEqual([true, false]);
  const alive = setInterval(() => locks.saw('a'), 20);
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
