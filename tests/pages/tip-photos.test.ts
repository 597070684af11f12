import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, vi } from 'vitest';
import { deleteUnusedPhotos } from '../../src/lib/data/photo-objects.server.ts';
import { anonClient } from '../support/backend.ts';
import { signInJar } from '../support/http-client.ts';
import { call, callServer } from '../support/newsroom.ts';
import { makePhoto, processPhoto } from '../support/photos.ts';
import { test } from '../support/test.ts';

type SubmittedTip = { upload: { path: string; token: string } };
type Update = { id: string; version: number; body: object[] };

/** Time for an invalidation to arrive on a busy machine. */
const INVALIDATION_MS = 5_000;

test("shows a tip's photo to moderators, and to readers while an update shows it", async ({
  site,
  newsroom,
}) => {
  const { people, coverage } = newsroom;
  const photo = randomUUID();
  const picture = await makePhoto();
  const tip = { id: randomUUID(), body: 'The quay is under water.', name: 'Ada', may_be_named: true };
  const { data } = await anonClient(site).functions.invoke<SubmittedTip>('submit-tip', {
    body: { ...tip, coverage: coverage.slug, photo: { id: photo, type: 'image/jpeg', size: picture.length } },
  });
  const { path = '', token = '' } = data?.upload ?? {};
  const bucket = anonClient(site).storage.from('tips');
  const put = () => bucket.uploadToSignedUrl(path, token, picture, { contentType: 'image/jpeg' });
  expect((await put()).error).toBeNull();
  expect((await put()).error, 'one upload').not.toBeNull();
  expect(await (await processPhoto(site, photo)).json()).toEqual({ state: 'ready', refusal_code: null });

  const jars = await Promise.all(
    [people.moderator, people.reporter, people.reader].map((person) => signInJar(site.url, person)),
  );
  const statuses = async () => [
    (await fetch(`${site.url}/photos/${photo}/480`)).status,
    ...(await Promise.all(jars.map(async (jar) => (await jar.get(`/desk/photos/${photo}/480`)).status))),
  ];
  expect(await statuses()).toEqual([404, 200, 404, 404]);

  const update_id = randomUUID();
  const content = { quote: tip.body, photo: { alt: 'A quay under water' } };
  const used = { tip_id: tip.id, version: 1, coverage_id: coverage.id, update_id, content };
  await call(people.moderator.client, 'use_tip', used);
  expect(await statuses(), 'in a submitted update').toEqual([404, 200, 200, 404]);
  const editor = people.editor.client;
  const { data: row } = await editor.from('desk_updates').select('body').eq('id', update_id).single();
  const { body } = row as Update;
  await call(editor, 'publish_update', {
    update_id,
    coverage_id: coverage.id,
    version: 1,
    content: { body },
  });
  await vi.waitFor(async () => expect(await statuses()).toEqual([200, 200, 200, 404]), INVALIDATION_MS);
  const page = await (await fetch(`${site.url}/live/${coverage.slug}`)).text();
  for (const text of [tip.body, 'A quay under water', `/photos/${photo}/480`]) expect(page).toContain(text);

  // A second upload over the kept address is not processed, and is deleted.
  await put();
  expect(await callServer(site.service, 'list_photos_to_process', { photo_id: photo })).toEqual([]);
  vi.stubEnv('STOPPRESS_BACKEND_URL', site.url);
  vi.stubEnv('PUBLIC_SUPABASE_URL', site.url);
  vi.stubEnv('PUBLIC_SUPABASE_PUBLISHABLE_KEY', site.publishableKey);
  vi.stubEnv('SUPABASE_SECRET_KEY', site.secretKey);
  onTestFinished(() => void vi.unstubAllEnvs());
  await deleteUnusedPhotos();
  const tipFiles = site.service.storage.from('tips');
  expect([
    (await tipFiles.exists(path)).data,
    (await tipFiles.exists(`renditions/${photo}/480`)).data,
  ]).toEqual([false, true]);

  await call(editor, 'withdraw_update', { update_id, reason: 'Not so.' });
  await vi.waitFor(async () => expect(await statuses()).toEqual([404, 200, 200, 404]), INVALIDATION_MS);
});
