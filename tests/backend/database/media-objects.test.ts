import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { expect } from 'vitest';
import { MAX_MEDIA_BYTES } from '../../../src/lib/domain/media-files.ts';
import { type ActorName, createSharedCoverage, type TestContext } from '../../support/actors.ts';
import { test } from '../../support/backend-test.ts';
import { makeMedia, registerMedia, uploadMedia } from '../../support/media.ts';
import { call, callServer } from '../../support/newsroom.ts';
import { PIXEL } from '../../support/photos.ts';

/* Permissions for video and audio files in storage. Uses the unmodified client. */

let context: TestContext;
let coverage_id: string;
test.beforeAll(async ({ context: shared }) => {
  context = shared;
  coverage_id = await createSharedCoverage(context);
});

const WRITERS: ActorName[] = ['contributor', 'reporter', 'owner'];
const WHO: ActorName[] = ['visitor', 'reader', 'moderator', 'deactivated', ...WRITERS];

const bytes = makeMedia('mp4');
const register = (who: ActorName) => registerMedia(context.actors[who].client, coverage_id);
const isStored = async (name: string) => (await context.service.storage.from('media').exists(name)).data;

test.each(WRITERS)('%s uploads a registered file once', async (who) => {
  const { client } = context.actors[who];
  const file = await register(who);
  for (const name of [`${file}/x`, `${file}.mp4`, file.toUpperCase(), randomUUID()]) {
    expect((await uploadMedia(client, name, bytes)).error, name).toMatchObject({ status: 400 });
    expect(await isStored(name)).toBe(false);
  }
  expect((await client.storage.from('media').createSignedUploadUrl(file)).error).toMatchObject({
    status: 400,
  });
  expect((await uploadMedia(client, file, bytes)).error).toBeNull();
  expect((await uploadMedia(client, file, bytes)).error).toMatchObject({ statusCode: '409' });
  const overwrite = await uploadMedia(client, file, makeMedia('mp4'), 'video/mp4', { upsert: true });
  expect(overwrite.error).toMatchObject({ status: 400 });
});

test.each(WHO)('%s cannot upload the file of another person', async (who) => {
  const file = await register(who === 'reporter' ? 'colleague' : 'reporter');
  const { client } = context.actors[who];
  expect((await uploadMedia(client, file, bytes)).error).not.toBeNull();
  expect(await isStored(file)).toBe(false);
});

test.each(WHO)('%s cannot read, sign, move or remove a file', async (who) => {
  const file = await register('reporter');
  expect((await uploadMedia(context.service, file, bytes)).error).toBeNull();
  const bucket = (context.actors[who].client as SupabaseClient).storage.from('media');
  const refused = [
    bucket.download(file),
    bucket.info(file),
    bucket.createSignedUrl(file, 60),
    bucket.move(file, randomUUID()),
    bucket.copy(file, randomUUID()),
  ];
  for (const { error } of await Promise.all(refused)) expect(error).not.toBeNull();
  expect((await bucket.list()).data ?? []).toEqual([]);
  expect((await bucket.remove([file])).data ?? []).toEqual([]);
  expect(await isStored(file)).toBe(true);
});

test('other types and larger files are refused before they arrive', async () => {
  const { client } = context.actors.reporter;
  const file = await register('reporter');
  // Storage goes by the content, and by the declared type if the content is of no known kind.
  for (const [content, type] of [
    [PIXEL, 'video/mp4'],
    [PIXEL, 'image/png'],
    [Buffer.from('<script>alert(1)</script>'), 'video/mp4'],
    [Buffer.from('<script>alert(1)</script>'), 'text/html'],
    [Buffer.alloc(0), 'video/mp4'],
  ] as const) {
    expect((await uploadMedia(client, file, content, type)).error, type).toMatchObject({ statusCode: '415' });
  }
  const { data: bucket } = await context.service.storage.getBucket('media');
  expect(bucket).toMatchObject({ public: false, file_size_limit: MAX_MEDIA_BYTES });
  expect(await isStored(file)).toBe(false);
});

test('uploads are refused for checked files and for people who lost the permission', async () => {
  const [checked, refused, expired] = await Promise.all([
    register('reporter'),
    register('reporter'),
    register('contributor'),
  ]);
  await callServer(context.service, 'record_media_check', { file_id: checked, bytes: 1 });
  const refusal = { file_id: refused, bytes: 0, refusal_code: 'unsupported_media' };
  await callServer(context.service, 'record_media_check', refusal);
  const member = { coverage_id, person_id: context.actors.contributor.id };
  await call(context.service, 'set_coverage_member', { ...member, expires_at: '2020-01-01T00:00:00Z' });
  for (const [who, file] of [
    ['reporter', checked],
    ['reporter', refused],
    ['contributor', expired],
  ] as const) {
    expect((await uploadMedia(context.actors[who].client, file, bytes)).error).toMatchObject({ status: 400 });
    expect(await isStored(file)).toBe(false);
  }
  // The file arrived before the permission ended.
  expect(
    await callServer(context.service, 'record_media_check', { file_id: expired, bytes: 1 }),
  ).toMatchObject({ state: 'refused', refusal_code: 'forbidden' });
});
