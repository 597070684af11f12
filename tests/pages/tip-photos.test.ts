import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { expect, onTestFinished, vi } from 'vitest';
import { deleteUnusedPhotos } from '../../src/lib/data/photo-objects.server.ts';
import { ownTips } from '../../src/lib/i18n/en/own-tips.ts';
import { tips as words } from '../../src/lib/i18n/en/tips.ts';
import { anonClient } from '../support/backend.ts';
import { signInWithCookies } from '../support/http-client.ts';
import { call, callServer } from '../support/newsroom.ts';
import { makePhoto, processPhoto } from '../support/photos.ts';
import { test } from '../support/test.ts';
import { sendTipWithoutItsPhoto, sendTipWithPhoto } from '../support/tips.ts';

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
    [people.moderator, people.reporter, people.reader].map((person) => signInWithCookies(site.url, person)),
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

test('shows the photo to the holder of the receipt only', async ({ site }) => {
  const { receipt, photo } = await sendTipWithPhoto(site, { body: 'The quay is under water.' });
  const page = await (await fetch(`${site.url}/tips/${receipt}`)).text();
  const img = /<img [^>]*>/.exec(/<section class="sent"[\s\S]*?<\/section>/.exec(page)?.[0] ?? '')?.[0] ?? '';
  for (const attribute of [
    `src="/tips/${receipt}/photo"`,
    'width="900"',
    'height="600"',
    `alt="${words.photoChosen}"`,
  ])
    expect(img).toContain(attribute);

  const answer = await fetch(`${site.url}/tips/${receipt}/photo`);
  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'image/webp',
    'cache-control': 'private, no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
    'x-content-type-options': 'nosniff',
  });
  expect(await sharp(await answer.arrayBuffer()).metadata()).toMatchObject({ width: 900, height: 600 });

  const others = [
    `/tips/${'x'.repeat(43)}/photo`,
    `/tips/${photo}/photo`,
    '/tips/x/photo',
    `/photos/${photo}/960`,
  ];
  const statuses = await Promise.all(others.map(async (path) => (await fetch(site.url + path)).status));
  expect(statuses).toEqual(others.map(() => 404));
});

test('shows the photo on the account page of its sender, and to no other account', async ({
  site,
  people,
  newAccount,
}) => {
  const { id, photo } = await sendTipWithPhoto(site, { body: 'The weir is open.' }, people.reader.client);
  const path = `/account/tips/${id}/photo`;
  const stranger = await signInWithCookies(site.url, await newAccount());
  const moderator = await signInWithCookies(site.url, people.moderator);
  const jar = await signInWithCookies(site.url, people.reader);
  const others = [
    fetch(site.url + path),
    stranger.get(path),
    moderator.get(path),
    jar.get(`/account/tips/${photo}/photo`),
    jar.get('/account/tips/x/photo'),
  ];
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual([401, 404, 404, 404, 404]);

  const page = await (await jar.get('/account')).text();
  expect(page).toContain(`<img src="${path}" alt="${ownTips.photo.alt}" width="480" height="320"`);
  const answer = await jar.get(path);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'image/webp',
    'cache-control': 'private, no-store',
    'x-robots-tag': 'noindex',
  });
  expect(await sharp(await answer.arrayBuffer()).metadata()).toMatchObject({ width: 480, height: 320 });
});

test('says on the receipt that a photo is not there yet, or could not be used', async ({ site }) => {
  const { receipt, photo } = await sendTipWithoutItsPhoto(site, { body: 'The gate is open.' });
  const page = async () => (await fetch(`${site.url}/tips/${receipt}`)).text();
  const photoStatus = async () => (await fetch(`${site.url}/tips/${receipt}/photo`)).status;
  expect(await page()).toContain(words.photoGoing);
  expect(await photoStatus()).toBe(404);
  await callServer(site.service, 'refuse_photo', { photo_id: photo, code: 'unsupported_media' });
  expect(await page()).toContain(words.photoRefused);
  expect(await photoStatus()).toBe(404);
});
