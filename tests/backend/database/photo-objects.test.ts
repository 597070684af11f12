import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { expect } from 'vitest';
import { type ActorName, contentOf, createSharedCoverage, type TestContext } from '../../support/actors.ts';
import { test } from '../../support/backend-test.ts';
import { call, callServer } from '../../support/newsroom.ts';
import { PIXEL } from '../../support/photos.ts';

/* Permissions for photos in storage: some actors may upload, none may read. Uses the unmodified client. */

let context: TestContext;
let coverage_id: string;
test.beforeAll(async ({ context: shared }) => {
  context = shared;
  coverage_id = await createSharedCoverage(context);
});

/** Actors that may write in the coverage. */
const WRITERS: ActorName[] = ['contributor', 'reporter', 'owner'];
/** One actor of each kind, because policies do not depend on more. */
const WHO: ActorName[] = ['visitor', 'reader', 'moderator', 'deactivated', ...WRITERS];

const PIXEL_TYPE = { contentType: 'image/png' };
const upload = (client: SupabaseClient, path: string, bucket = 'photos', more: object = {}) =>
  client.storage.from(bucket).upload(path, PIXEL, { ...PIXEL_TYPE, ...more });
/** The names of the stored objects of a photo. */
async function objectsOf(photo: string, bucket = 'photos') {
  const names: string[] = [];
  for (const folder of ['incoming', `renditions/${photo}`]) {
    const { data, error } = await context.service.storage.from(bucket).list(folder, { limit: 1_000 });
    if (error) throw error;
    names.push(...data.map(({ name }) => `${folder}/${name}`));
  }
  return names.filter((name) => name.includes(photo));
}

async function announce(who: ActorName, coverage = coverage_id) {
  const photo_id = randomUUID();
  await call(context.actors[who].client, 'save_photo', {
    photo_id,
    coverage_id: coverage,
    content: { alt: 'A dam.' },
  });
  return photo_id;
}

test.each(WRITERS)('%s uploads an announced photo once, as one object', async (who) => {
  const { client } = context.actors[who];
  const photo = await announce(who);
  const wrong = [
    `incoming/${photo}/x`,
    `incoming/${photo}.png`,
    `incoming/${photo.toUpperCase()}`,
    `renditions/${photo}/480`,
    photo,
    `incoming/${randomUUID()}`,
  ].map((path) => upload(client, path));
  for (const { error } of await Promise.all([...wrong, upload(client, `incoming/${photo}`, 'tips')])) {
    expect(error).toMatchObject({ status: 400, message: expect.stringContaining('row-level security') });
  }
  expect(await objectsOf(photo)).toEqual([]);
  const signed = await client.storage.from('photos').createSignedUploadUrl(`incoming/${photo}`);
  expect(signed, 'an address that outlives the right').toMatchObject({ data: null, error: { status: 400 } });
  expect((await upload(client, `incoming/${photo}`)).error).toBeNull();
  expect((await upload(client, `incoming/${photo}`)).error).toMatchObject({ statusCode: '409' });
  expect((await upload(client, `incoming/${photo}`, 'photos', { upsert: true })).error).toMatchObject({
    status: 400,
  });
  expect(await objectsOf(photo)).toEqual([`incoming/${photo}`]);
  expect(await objectsOf(photo, 'tips')).toEqual([]);
});

test.each(WHO)('%s cannot upload the photo of another person or of a tip', async (who) => {
  const author = who === 'reporter' ? 'colleague' : 'reporter';
  const photo = await announce(author);
  const ofTip = randomUUID();
  const tip = {
    tip_id: randomUUID(),
    receipt: randomUUID() + randomUUID(),
    sender: { person: context.actors[who].id },
  };
  await callServer(context.service, 'add_tip', { ...tip, content: { body: 'Seen.', photo: ofTip } });
  const { client } = context.actors[who];
  for (const [path, bucket] of [
    [`incoming/${photo}`, 'photos'],
    [`incoming/${ofTip}`, 'photos'],
    [`incoming/${ofTip}`, 'tips'],
  ] as const) {
    expect((await upload(client, path, bucket)).error, path).not.toBeNull();
    expect((await client.storage.from(bucket).createSignedUploadUrl(path)).error, path).not.toBeNull();
  }
  expect([
    ...(await objectsOf(photo)),
    ...(await objectsOf(ofTip)),
    ...(await objectsOf(ofTip, 'tips')),
  ]).toEqual([]);
});

test('uploads are refused for processed photos, lost permissions and ended sessions', async () => {
  const developed = await announce('reporter');
  const renditions = [{ width: 480, height: 320, bytes: 900 }];
  await callServer(context.service, 'mark_photo_ready', {
    photo_id: developed,
    renditions,
    placeholder_colour: '#000000',
  });
  const refused = await announce('reporter');
  await callServer(context.service, 'refuse_photo', { photo_id: refused, code: 'invalid' });
  const elsewhere = await createSharedCoverage(context);
  const expired = await announce('contributor', elsewhere);
  const member = { coverage_id: elsewhere, person_id: context.actors.contributor.id };
  await call(context.service, 'set_coverage_member', { ...member, expires_at: '2020-01-01T00:00:00Z' });
  for (const [who, photo] of [
    ['reporter', developed],
    ['reporter', refused],
    ['contributor', expired],
  ] as const) {
    expect((await upload(context.actors[who].client, `incoming/${photo}`)).error).toMatchObject({
      status: 400,
    });
    expect(await objectsOf(photo)).toEqual([]);
  }
});

test.each(WHO)('%s cannot read, list, sign, move, overwrite or remove objects', async (who) => {
  const { client } = context.actors[who];
  const photo = await announce(WRITERS.includes(who) ? who : 'reporter');
  const update_id = randomUUID();
  const body = [...contentOf('Look.').body, { type: 'photo', photo }];
  await call(context.actors.editor.client, 'publish_update', { coverage_id, update_id, content: { body } });
  const [sent, print] = [`incoming/${photo}`, `renditions/${photo}/480`];
  for (const path of [sent, print]) expect((await upload(context.service, path)).error).toBeNull();
  const bucket = client.storage.from('photos');
  for (const path of [sent, print]) {
    const refused = {
      download: bucket.download(path),
      info: bucket.info(path),
      sign: bucket.createSignedUrl(path, 60),
      signUpload: bucket.createSignedUploadUrl(path, { upsert: true }),
      update: bucket.update(path, PIXEL, PIXEL_TYPE),
      upsert: upload(client, path, 'photos', { upsert: true }),
      move: bucket.move(path, `incoming/${randomUUID()}`),
      copy: bucket.copy(path, `incoming/${randomUUID()}`),
    };
    const answers = await Promise.all(
      Object.entries(refused).map(async ([act, answer]) => [act, (await answer).error]),
    );
    for (const [act, error] of answers) expect(error, `${act} ${path}`).not.toBeNull();
    const answer = await fetch(bucket.getPublicUrl(path).data.publicUrl);
    expect(answer.ok, `public ${path}`).toBe(false);
  }
  for (const folder of ['', 'incoming', `renditions/${photo}`]) {
    expect((await bucket.list(folder)).data ?? [], folder).toEqual([]);
  }
  const signed = (await bucket.createSignedUrls([sent, print], 60)).data ?? [];
  expect(signed.filter(({ signedUrl }) => signedUrl)).toEqual([]);
  expect((await bucket.remove([sent, print])).data ?? []).toEqual([]);
  expect((await client.storage.listBuckets()).data ?? []).toEqual([]);
  expect((await client.storage.updateBucket('photos', { public: true })).error).not.toBeNull();
  expect((await client.storage.emptyBucket('photos')).error).not.toBeNull();
  expect(await objectsOf(photo)).toEqual([sent, print]);
});
