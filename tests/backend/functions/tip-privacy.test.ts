import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type ActorName, openTestContext, type TestContext } from '../../support/actors.ts';
import { apiTables, openCatalog, relationsOf } from '../../support/database.ts';
import { callServer } from '../../support/newsroom.ts';
import { join, refusalOf } from '../embedded/realtime/channels.ts';

/* Actors that do not handle tips see no text, contact or photo of one, through any interface. */

const STRANGERS = [
  'visitor',
  'reader',
  'contributor',
  'outsider',
  'reporter',
  'deactivated',
] as const satisfies ActorName[];
const SECRETS = { body: 'secret-body', name: 'secret-name', contact: 'secret-contact' };

let context: TestContext;
let tip: { id: string; photo: string; receipt: string; upload: { path: string; token: string } };
/** Columns by table or view. */
let tables: ReturnType<typeof apiTables>;
beforeAll(async () => {
  const catalog = await openCatalog();
  tables = apiTables(await relationsOf(catalog));
  await catalog.close();
  context = await openTestContext();
  const [id, photo] = [randomUUID(), randomUUID()];
  const { data } = await context.actors.reader.client.functions.invoke('submit-tip', {
    body: { id, ...SECRETS, photo: { id: photo, type: 'image/png', size: PNG.length } },
  });
  tip = { id, photo, ...data };
  const renditions = [{ width: 480, height: 320, bytes: PNG.length }];
  await callServer(context.service, 'mark_photo_ready', {
    photo_id: photo,
    renditions,
    placeholder_colour: '#0a1b2c',
  });
  await context.service.storage.from('tips').upload(PRINT(), PNG, { contentType: 'image/png' });
});
afterAll(() => context.stop());

/** One pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==',
  'base64',
);
const PRINT = () => `renditions/${tip.photo}/480`;

/** Sends any request as an actor. */
async function ask(who: ActorName, path: string, init: RequestInit = {}) {
  const { data } = await context.actors[who].client.auth.getSession();
  const answer = await fetch(`${context.backend.url}${path}`, {
    ...init,
    headers: {
      ...context.backend.headers,
      apikey: context.backend.publishableKey,
      ...(data.session && { authorization: `Bearer ${data.session.access_token}` }),
      'content-type': 'application/json',
      ...init.headers,
    },
  });
  return { status: answer.status, text: await answer.text() };
}

function expectNothing(text: string, asked: string) {
  for (const secret of [...Object.values(SECRETS), tip.id, tip.receipt])
    expect(text, asked).not.toContain(secret);
}

test('there is something to see', async () => {
  const { text } = await ask('moderator', '/rest/v1/rpc/tip_queue', {
    method: 'POST',
    body: '{"filters":{}}',
  });
  for (const secret of [...Object.values(SECRETS), tip.id, tip.photo]) expect(text).toContain(secret);
});

test.each(STRANGERS)('%s finds it in no table, view, embedding or function', async (who) => {
  for (const [table, columns] of tables) {
    const asked = [
      table,
      `${table}?select=*,tips(*)`,
      `${table}?select=tips!inner(body)`,
      `${table}?select=photos(*,tips(*))`,
    ];
    for (const path of asked) expectNothing((await ask(who, `/rest/v1/${path}`)).text, path);
    if (columns.includes('photo_id'))
      expectNothing((await ask(who, `/rest/v1/${table}?photo_id=eq.${tip.photo}`)).text, table);
  }
  for (const path of [
    'tips',
    'tips?select=body',
    'people?select=tips(body)',
    'updates?select=tips!tips_used_in_fkey(contact)',
    'photos?select=id,tip_id',
    `photos?id=eq.${tip.photo}`,
    `desk_photos?id=eq.${tip.photo}`,
  ]) {
    const { text } = await ask(who, `/rest/v1/${path}`);
    expectNothing(text, path);
    expect(text, path).not.toContain(tip.photo);
  }
  const seen = { idempotency_key: randomUUID(), tip_id: tip.id, version: 1 };
  const calls: [name: string, args: object][] = [
    ['tip_queue', { filters: { view: 'all' } }],
    ['tip_queue', { filters: { ids: [tip.id] } }],
    ['tip_queue', { filters: { query: 'secret' } }],
    ['tip_counts', {}],
    ['tip_handlers', {}],
    ['tip_photo', { photo_id: tip.photo }],
    ['tip_receipt', { receipt: tip.id }],
    ['photo_library', {}],
    ['photo_uses', { photo_id: tip.photo }],
    ['desk_waiting', {}],
    ['review_tip', seen],
    ['hand_over_tip', { ...seen, person_id: null }],
    ['close_tip', { ...seen, state: 'declined' }],
    ['release_tip', seen],
    ['reopen_tip', seen],
    ['use_tip', { ...seen, coverage_id: randomUUID(), update_id: randomUUID(), content: { quote: 'x' } }],
    ['list_photos_to_process', { photo_id: tip.photo }],
    ['add_tip', { tip_id: tip.id, content: {}, receipt: tip.receipt, sender: {} }],
    // It is the reader's own tip.
    ...(who === 'reader' ? [] : ([['my_tips', {}]] as [string, object][])),
  ];
  for (const [name, args] of calls) {
    const { text } = await ask(who, `/rest/v1/rpc/${name}`, { method: 'POST', body: JSON.stringify(args) });
    expectNothing(text, name);
    expect(text, name).not.toContain('480');
  }
  const { data } = await context.actors.moderator.client.rpc('tip_queue', { filters: { ids: [tip.id] } });
  expect(data).toMatchObject([{ state: 'new', version: 1, assigned: null }]);
});

test.each(STRANGERS)('%s cannot get its photo from storage', async (who) => {
  const bucket = context.actors[who].client.storage.from('tips');
  for (const path of [PRINT(), tip.upload.path]) {
    expect((await bucket.download(path)).error, path).not.toBeNull();
    expect((await bucket.createSignedUrl(path, 60)).error, path).not.toBeNull();
    expect((await bucket.createSignedUploadUrl(path)).error, path).not.toBeNull();
    expect((await bucket.info(path)).error, path).not.toBeNull();
    expect((await bucket.move(path, 'mine')).error, path).not.toBeNull();
    expect((await bucket.copy(path, 'mine')).error, path).not.toBeNull();
    expect(
      (await bucket.upload(path, PNG, { contentType: 'image/png', upsert: true })).error,
      path,
    ).not.toBeNull();
    for (const token of [tip.upload.token, 'guessed', `${tip.upload.token.slice(0, -2)}xx`, '']) {
      const signed = await fetch(`${context.backend.url}/storage/v1/object/sign/tips/${path}?token=${token}`);
      expect(signed.status, `${path} ${token}`).toBeGreaterThanOrEqual(400);
    }
    for (const way of ['public', 'authenticated', 'info/public']) {
      expect((await ask(who, `/storage/v1/object/${way}/tips/${path}`)).status, way).toBeGreaterThanOrEqual(
        400,
      );
    }
  }
  for (const folder of ['', 'renditions', `renditions/${tip.photo}`, 'incoming']) {
    expect((await bucket.list(folder)).data ?? [], folder).toEqual([]);
  }
  const { data } = await bucket.remove([PRINT()]);
  expect(data ?? []).toEqual([]);
  expect((await context.service.storage.from('tips').exists(PRINT())).data).toBe(true);
});

test('its signed upload accepts one object once', async () => {
  const bucket = context.actors.visitor.client.storage.from('tips');
  const { path, token } = tip.upload;
  const put = (where: string, shown = token) =>
    bucket.uploadToSignedUrl(where, shown, PNG, { contentType: 'image/png' });
  for (const other of [PRINT(), `incoming/${randomUUID()}`, `${path}/x`, 'renditions/mine']) {
    expect((await put(other)).error, other).not.toBeNull();
  }
  expect((await put(path, 'guessed')).error).not.toBeNull();
  expect(
    (await context.actors.visitor.client.storage.from('photos').uploadToSignedUrl(path, token, PNG)).error,
  ).not.toBeNull();
  expect((await put(path)).error).toBeNull();
  expect((await put(path)).error).not.toBeNull();
});

test('only people who handle tips receive broadcasts of them', async () => {
  const clientOf = (who: ActorName): SupabaseClient => {
    const { client } = context.actors[who];
    onTestFinished(async () => {
      await client.removeAllChannels();
    });
    return client;
  };
  for (const who of ['visitor', 'reader', 'contributor', 'reporter'] as const) {
    expect(await refusalOf(clientOf(who), 'tips', { private: true }), who).toMatchObject({
      status: 'CHANNEL_ERROR',
    });
  }
  // There is no public channel of that name either.
  expect(await refusalOf(clientOf('visitor'), 'tips')).toMatchObject({ status: 'CHANNEL_ERROR' });
  const moderator = await join(clientOf('moderator'), 'tips', { private: true });
  const { data } = await context.actors.visitor.client.functions.invoke('submit-tip', {
    body: { id: randomUUID(), ...SECRETS, body: 'Another secret-body.' },
  });
  expect(data).toMatchObject({ held: false });
  await expect
    .poll(moderator.payloads, { timeout: 15_000 })
    .toEqual([expect.objectContaining({ version: 1 })]);
  expect(JSON.stringify(moderator.messages)).not.toContain('secret');
});

test('handling tips ends with the session', async () => {
  const { id, client } = context.actors.moderator;
  const act = () => client.rpc('review_tip', { idempotency_key: randomUUID(), tip_id: tip.id, version: 1 });
  await context.service.auth.admin.signOut((await client.auth.getSession()).data.session?.access_token ?? '');
  expect(await act()).toMatchObject({ status: 401, error: { message: 'signed_out' } });
  expect((await client.rpc('tip_queue', { filters: {} })).status).toBe(401);
  const { data } = await context.actors.owner.client.rpc('tip_queue', { filters: { ids: [tip.id] } });
  expect(data, String(id)).toMatchObject([{ state: 'new', version: 1 }]);
});
