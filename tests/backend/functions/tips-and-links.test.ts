import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anonClient, serviceClient, startBackend, type TestBackend } from '../../support/backend.ts';
import { createLiveCoverage, createUsers, type People } from '../../support/newsroom.ts';

let backend: TestBackend;
let anon: SupabaseClient;
let service: SupabaseClient;
let people: People;

beforeAll(async () => {
  backend = await startBackend();
  anon = anonClient(backend);
  service = serviceClient(backend);
  people = await createUsers({ ...backend, service });
});
afterAll(() => backend.stop());

type Upload = { bucket: string; path: string; token: string; again: string };
type Said = { status: number; data: Record<string, unknown> };

/** The result of a function, or its error. */
async function ask(client: SupabaseClient, name: string, body: unknown): Promise<Said> {
  const { data, error, response } = await client.functions.invoke(name, { body: body as object });
  return { status: response?.status ?? 0, data: error ? await error.context.json() : data };
}

/** Makes each tip different. */
let told = 0;
const tip = (more: object = {}) => ({
  id: randomUUID(),
  body: `The lower gate is open: ${++told}.`,
  ...more,
});
const send = (body: unknown, client = anon) => ask(client, 'submit-tip', body);

test('stores a repeated tip once, and its receipt shows the status', async () => {
  const { coverage } = await createLiveCoverage(people);
  const sent = tip({ coverage: coverage.slug, name: ' Ada ', contact: '01 234', device: 'mine' });
  const first = await send(sent);
  expect(first).toMatchObject({ status: 200, data: { held: false, upload: null } });
  expect(await send(sent)).toEqual(first);
  const { receipt } = first.data;
  expect(await anon.rpc('tip_receipt', { receipt })).toMatchObject({
    data: { state: 'new', coverage: { slug: coverage.slug } },
  });
  const filters = { ids: [sent.id] };
  const { data: seen } = await people.moderator.client.rpc('tip_queue', { filters });
  expect(seen).toMatchObject([{ body: sent.body, name: 'Ada', contact: '01 234', photo: null }]);
  // Other content with a known id is refused.
  expect((await send({ ...sent, body: 'Other words' })).status).toBeGreaterThanOrEqual(400);
  expect((await anon.rpc('tip_receipt', { receipt: 'x'.repeat(43) })).data).toBeNull();
});

test('accepts the photo with its token only, and lets no client read it', async () => {
  const id = randomUUID();
  const sent = tip({ photo: { id, type: 'image/jpeg', size: 3 } });
  const { data } = await send(sent);
  const upload = data.upload as Upload;
  expect(upload).toMatchObject({ bucket: 'tips', path: `incoming/${id}` });
  const tips = anon.storage.from(upload.bucket);
  const photo = await sharp({ create: { width: 4, height: 3, channels: 3, background: '#888' } })
    .jpeg()
    .toBuffer();
  const put = (path: string) =>
    tips.uploadToSignedUrl(path, upload.token, photo, { contentType: 'image/jpeg' });
  expect((await put(`incoming/${randomUUID()}`)).error).not.toBeNull();
  // A repeated request gets a new token for the same photo.
  const { data: other } = await send(tip({ photo: { id: randomUUID(), type: 'image/jpeg', size: 3 } }));
  const [until, signature] = upload.again.split('.');
  for (const again of [
    (other.upload as Upload).again,
    data.receipt,
    `${Number(until) + 1}.${signature}`,
    `${until}.${signature?.slice(1)}A`,
    upload.token,
    '',
    null,
    7,
  ]) {
    expect(await send({ photo: id, again }), String(again)).toMatchObject({
      status: 404,
      data: { code: 'not_found' },
    });
  }
  expect((await send({ photo: randomUUID(), again: upload.again })).status).toBe(404);
  expect((await send({ photo: '../x', again: upload.again })).status).toBe(422);
  const renewed = await send({ photo: id, again: upload.again });
  expect(renewed).toMatchObject({ status: 200, data: { upload: { path: upload.path } } });
  upload.token = (renewed.data.upload as Upload).token;
  expect((await put(upload.path)).error).toBeNull();
  for (const client of [anon, people.reader.client, people.owner.client]) {
    expect((await client.storage.from('tips').download(upload.path)).error).not.toBeNull();
    expect((await client.storage.from('tips').createSignedUrl(upload.path, 60)).error).not.toBeNull();
    expect((await client.storage.from('tips').list('incoming')).data).toEqual([]);
  }
  expect((await service.storage.from('tips').download(upload.path)).error).toBeNull();
  // The response can be repeated after the upload.
  expect(await send(sent)).toMatchObject({ status: 200, data: { receipt: data.receipt, upload: null } });
  expect(await send({ photo: id, again: upload.again })).toEqual({ status: 200, data: { upload: null } });
});

test('refuses invalid tips by field and stores nothing of them', async () => {
  const photo = { id: randomUUID(), type: 'image/jpeg', size: 1 };
  for (const [body, code, status, field] of [
    [tip({ body: '  ' }), 'invalid', 422, 'body'],
    [tip({ body: 'x'.repeat(2001) }), 'invalid', 422, 'body'],
    [tip({ body: 7 }), 'invalid', 422, 'body'],
    [tip({ name: 'x'.repeat(61) }), 'invalid', 422, 'name'],
    [tip({ contact: 'two\nlines' }), 'invalid', 422, 'contact'],
    [tip({ id: 'x' }), 'invalid', 422, 'id'],
    [tip({ photo: { ...photo, type: 'image/svg+xml' } }), 'unsupported_media', 415, 'photo'],
    [tip({ photo: { ...photo, size: 21 * 1024 * 1024 } }), 'too_large', 413, 'photo'],
    [tip({ body: 'x'.repeat(40_000) }), 'too_large', 413, undefined],
    [[], 'invalid', 422, undefined],
  ] as const) {
    const response = await send(body);
    expect(response).toMatchObject({ status, data: { code, message: expect.any(String) } });
    expect(response.data.field).toBe(field);
  }
  expect(await service.from('photos').select().eq('id', photo.id)).toMatchObject({ data: [] });
});

test('holds tips above the limit of a device, and records a signed-in sender', async () => {
  const held: unknown[] = [];
  let device: unknown;
  for (let count = 0; count < 6; count++) {
    const { data } = await send(tip({ device }));
    held.push(data.held);
    device = data.device;
  }
  expect(held).toEqual([false, false, false, false, false, true]);
  expect((await send(tip(), people.reader.client)).status).toBe(200);
});

test('describes public web pages only, and only for people with a desk', async () => {
  const look = (client: SupabaseClient, url: unknown) => ask(client, 'unfurl-link', { url });
  const { client } = people.contributor;
  expect(await look(anon, 'https://news.example/')).toMatchObject({
    status: 401,
    data: { code: 'signed_out' },
  });
  expect(await look(people.reader.client, 'https://news.example/')).toMatchObject({
    status: 403,
    data: { code: 'forbidden' },
  });
  for (const url of [backend.url, 'http://localhost/', 'http://[::1]/', 'http://2130706433/', 'words', 7]) {
    expect(await look(client, url)).toMatchObject({ status: 422, data: { code: 'invalid', field: 'url' } });
  }
  const read = (url: string) => ask(client, 'unfurl-link', { url, isPost: true });
  expect(await read('https://10.0.0.1/@ana/1')).toMatchObject({
    status: 422,
    data: { code: 'invalid', reason: 'address_not_public' },
  });
  expect(await read('https://x.com/ana/status/1')).toMatchObject({
    status: 422,
    data: { reason: 'not_a_post' },
  });
  expect(await look(client, 'https://nowhere.invalid/')).toMatchObject({
    status: 503,
    data: { code: 'unavailable' },
  });
  // Two fewer than all were counted. The other person has its own limit.
  const many = await Promise.all(Array.from({ length: 30 }, () => look(client, 'http://10.0.0.1/')));
  expect(many.filter(({ data }) => data.code === 'rate_limited').length).toBeGreaterThan(0);
  expect(await look(people.editor.client, 'http://10.0.0.1/')).toMatchObject({ data: { code: 'invalid' } });
});

test('lets owners create invites, returns a link without a mail server, and the link works once', async () => {
  // The link must not lead to another site.
  const page = 'http://elsewhere.example/invites/';
  const email = `${randomUUID()}@example.com`;
  const asked = () => ({
    act: 'invite',
    id: randomUUID(),
    email,
    name: 'Nell',
    role: 'editor',
    by: 'mail',
    page,
  });
  const invite = (client: SupabaseClient, body: unknown) => ask(client, 'invite-person', body);
  expect(await invite(anon, asked())).toMatchObject({ status: 401, data: { code: 'signed_out' } });
  for (const { client, role } of [people.editor, people.reader]) {
    const refused = { status: 403, data: { code: 'forbidden' } };
    expect(await invite(client, asked()), role).toMatchObject(refused);
  }
  const { client } = people.owner;
  expect((await client.from('desk_invites').select().eq('email', email)).data).toEqual([]);

  const sent = asked();
  const first = await invite(client, sent);
  expect(first).toMatchObject({ status: 200, data: { id: sent.id, mailed: false, why: 'off' } });
  const { data } = await invite(client, { act: 'again', id: sent.id, by: 'link', page });
  expect(String(data.link)).toMatch(new RegExp(`^${backend.url}/invites/[\\w-]{43}$`));
  const tokenIn = (link: unknown) => String(link).split('/').at(-1) ?? '';
  const password = 'a password of my own';
  const join = (token: string, more: object = {}) =>
    invite(anon, { act: 'join', token, name: 'Nell Ashe', password, ...more });
  expect(await join(tokenIn(first.data.link))).toMatchObject({ status: 410, data: { code: 'gone' } });
  const token = tokenIn(data.link);
  for (const wrong of ['short', '']) {
    expect(await join(token, { password: wrong })).toMatchObject({
      data: { code: 'invalid', field: 'password' },
    });
  }
  const joined = await Promise.all([join(token), join(token)]);
  expect(joined.map(({ status }) => status).sort()).toEqual([200, 409]);

  const theirs = anonClient(backend);
  expect((await theirs.auth.signInWithPassword({ email, password })).error).toBeNull();
  expect((await theirs.rpc('get_me')).data).toMatchObject({ display_name: 'Nell Ashe', role: 'reader' });
  expect((await theirs.rpc('accept_invite', { idempotency_key: randomUUID(), token })).error).toBeNull();
  expect((await theirs.rpc('get_me')).data).toMatchObject({ role: 'editor' });
  expect(await join(token, { password: 'another password' })).toMatchObject({ status: 410 });
});
