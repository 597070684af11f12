import { readFile } from 'node:fs/promises';
import { join as path } from 'node:path';
import { decodeJwt, exportJWK, generateKeyPair } from 'jose';
import { expect, onTestFinished } from 'vitest';
import { type Claims, openTokens } from '../../../../packages/embedded-supabase/src/tokens.ts';
import { serviceClient, signUp, type TestBackend } from '../../../support/backend.ts';
import {
  allow,
  announce,
  clientWith,
  eventually,
  join,
  listenTo,
  newTopic,
  passingClient,
  refusalOf,
  subscribe,
  test,
  VERSIONS,
} from './channels.ts';

/* Private channels: policies are evaluated as the joining person. */

let backend: TestBackend;
test.beforeAll(async ({ backend: shared }) => {
  backend = shared;
});

const PRIVATE = { private: true };

const open = (vsn?: string) => passingClient(backend, vsn);

/** Creates a signed-in person and its token. */
async function newPerson() {
  const { client, user } = await signUp(backend);
  const token = (await client.auth.getSession()).data.session?.access_token ?? '';
  return { id: user.id, token };
}

/** A client with this token. */
async function openAs(token: string) {
  const shown = await clientWith(backend, token);
  onTestFinished(async () => {
    await shown.client.removeAllChannels();
  });
  return shown;
}

const mayNotRead = (topic: string) => ({
  status: 'CHANNEL_ERROR',
  reason: `Unauthorized: You do not have permissions to read from this Channel topic: ${topic}`,
});

const message = (payload: object) => ({ type: 'broadcast' as const, event: 'said', payload });

test('refuses a private channel without a policy', async () => {
  const topic = await newTopic(backend);
  expect(await refusalOf(open(), topic, PRIVATE)).toEqual(mayNotRead(topic));
  const { token } = await newPerson();
  expect(await refusalOf((await openAs(token)).client, topic, PRIVATE)).toEqual(mayNotRead(topic));
});

test('delivers broadcasts of the database in every protocol version, in order and at any size', async () => {
  const topic = await newTopic(backend, 'hear');
  const listeners = await Promise.all(VERSIONS.map((vsn) => join(open(vsn), topic, PRIVATE)));
  const many = Array.from({ length: 60 }, (_, n) => ({ n, text: n === 30 ? 'é'.repeat(300_000) : '' }));
  await announce(backend, topic, ...many);
  for (const listener of listeners) {
    await eventually(() => listener.messages.length).toBe(60);
    expect(listener.messages[0]).toEqual({
      event: 'change',
      payload: { id: expect.any(String), ...many[0] },
      meta: { id: expect.any(String) },
    });
    expect(listener.payloads()).toEqual(many.map((each) => expect.objectContaining(each)));
  }
});

test('delivers bytes of the database, if the protocol has them', async () => {
  const topic = await newTopic(backend, 'hear');
  const [new_, old] = await Promise.all(VERSIONS.map((vsn) => join(open(vsn), topic, PRIVATE)));
  await serviceClient(backend).rpc('announce_bytes', { topic, hex: '00ff0a7b' }).throwOnError();
  await announce(backend, topic, { n: 1 });
  const bytes = Uint8Array.of(0x00, 0xff, 0x0a, 0x7b).buffer;
  await eventually(() => new_?.messages).toMatchObject([
    { event: 'frame', payload: bytes, meta: { id: expect.any(String) } },
    { event: 'change' },
  ]);
  await eventually(() => old?.messages).toMatchObject([{ event: 'change' }]);
});

test('does not deliver broadcasts of a failed transaction', async () => {
  const topic = await newTopic(backend, 'hear');
  const listener = await join(open(), topic, PRIVATE);
  const { error } = await serviceClient(backend).rpc('announce_and_fail', { topic, message: { n: 0 } });
  expect(error?.message).toBe('rolled back');
  await announce(backend, topic, { n: 1 });
  await eventually(() => listener.payloads()).toEqual([expect.objectContaining({ n: 1 })]);
});

test('delivers personal messages to their person only', async () => {
  const topic = await newTopic(backend);
  const [ada, eve] = await Promise.all([newPerson(), newPerson()]);
  await allow(backend, topic, ['hear'], ada.id);
  const listener = await join((await openAs(ada.token)).client, topic, PRIVATE);
  await announce(backend, topic, { n: 1 });
  await eventually(() => listener.payloads()).toEqual([expect.objectContaining({ n: 1 })]);
  expect(await refusalOf((await openAs(eve.token)).client, topic, PRIVATE)).toEqual(mayNotRead(topic));
});

test('drops messages that their sender may not send, without a reply', async () => {
  const topic = await newTopic(backend, 'hear');
  const { id, token } = await newPerson();
  await allow(backend, topic, ['send'], id);
  const [mute, listener, writer] = [
    await join(open(), topic, { private: true, broadcast: { ack: true } }),
    await join(open(), topic, PRIVATE),
    await join((await openAs(token)).client, topic, { private: true, broadcast: { ack: true } }),
  ];
  expect(await mute.channel.send(message({ by: 'mute' }), { timeout: 300 })).toBe('timed out');
  await expect(mute.channel.httpSend('said', { by: 'mute' })).rejects.toThrow('Unauthorized');
  expect(await writer.channel.send(message({ by: 'writer' }))).toBe('ok');
  await eventually(() => listener.payloads()).toEqual([{ by: 'writer' }]);
});

test('opens every channel for the secret key', async () => {
  const topic = await newTopic(backend);
  const server = serviceClient(backend);
  onTestFinished(async () => {
    await server.removeAllChannels();
  });
  const listener = await join(server, topic, { private: true, broadcast: { self: true } });
  await listener.channel.send(message({ n: 1 }));
  await listener.channel.httpSend('said', { n: 2 });
  await eventually(() => listener.payloads()).toEqual([{ n: 1 }, { n: 2 }]);
});

test('evaluates a changed token', async () => {
  const topic = await newTopic(backend);
  const [ada, eve] = await Promise.all([newPerson(), newPerson()]);
  await allow(backend, topic, ['hear'], ada.id);
  const shown = await openAs(ada.token);
  const { client } = shown;
  const listener = await join(client, topic, PRIVATE);
  shown.token = eve.token;
  await client.realtime.setAuth();
  await eventually(() => listener.statuses.at(-1)?.status).toBe('CLOSED');
  expect(listener.notices).toEqual([
    {
      extension: 'system',
      status: 'error',
      channel: topic,
      message: `You no longer have permission to read from this Channel topic: ${topic}`,
    },
  ]);
  await announce(backend, topic, { n: 1 });
  expect(await refusalOf(client, topic, PRIVATE)).toEqual(mayNotRead(topic));
  expect(listener.messages).toEqual([]);
});

test('treats a signed-out person as a visitor', async () => {
  const [theirs, everybodys] = [await newTopic(backend), await newTopic(backend, 'hear')];
  const { client, user } = await signUp(backend);
  onTestFinished(async () => {
    await client.removeAllChannels();
  });
  await allow(backend, theirs, ['hear'], user.id);
  const [lost, kept] = [await join(client, theirs, PRIVATE), await join(client, everybodys, PRIVATE)];
  await client.auth.signOut({ scope: 'local' });
  await eventually(() => lost.statuses.at(-1)?.status).toBe('CLOSED');
  await announce(backend, everybodys, { n: 1 });
  await eventually(() => kept.payloads()).toEqual([expect.objectContaining({ n: 1 })]);
});

/** Signs any claims with the backend's key. */
async function sign(claims: Claims): Promise<string> {
  const { signing } = JSON.parse(await readFile(path(backend.data, 'keys.json'), 'utf8'));
  return (await openTokens(signing)).sign(claims);
}

const secondsFromNow = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

test('ends a channel when its token expires, unless a newer one was sent', async () => {
  const topic = await newTopic(backend);
  const { id, token } = await newPerson();
  await allow(backend, topic, ['hear'], id);
  const short = await sign({ ...(decodeJwt(token) as Claims), exp: secondsFromNow(4) });
  const [over, renewed] = [await openAs(short), await openAs(short)];
  const [lost, kept] = [await join(over.client, topic, PRIVATE), await join(renewed.client, topic, PRIVATE)];
  renewed.token = token;
  await renewed.client.realtime.setAuth();
  await eventually(() => lost.statuses.at(-1)?.status).toBe('CLOSED');
  expect(lost.notices).toEqual([
    { extension: 'system', status: 'error', channel: topic, message: 'Token has expired' },
  ]);
  await announce(backend, topic, { n: 1 });
  await eventually(() => kept.payloads()).toEqual([expect.objectContaining({ n: 1 })]);
});

test('removes the presence of a person when the channel gets the token of another one', async () => {
  const topic = await newTopic(backend, 'hear', 'see', 'show');
  const [ada, bob] = [await newPerson(), await newPerson()];
  const watcher = listenTo(open(), topic, PRIVATE);
  watcher.channel.on('presence', { event: 'sync' }, () => {});
  await subscribe(watcher);
  const present = () => Object.keys(watcher.channel.presenceState());
  const shared = await openAs(ada.token);
  const { channel } = await join(shared.client, topic, PRIVATE);
  await channel.track({ on: 'desk' });
  await eventually(present).toEqual([ada.id]);
  shared.token = bob.token;
  await shared.client.realtime.setAuth();
  await eventually(present).toEqual([]);
  await channel.track({ on: 'desk' });
  await eventually(present).toEqual([bob.id]);
});

test('files the presence of a person under the id of their token, whatever key they ask for', async () => {
  const topic = await newTopic(backend, 'hear', 'see', 'show');
  const [owner, impostor] = [await newPerson(), await newPerson()];
  const watcher = listenTo(open(), topic, PRIVATE);
  watcher.channel.on('presence', { event: 'sync' }, () => {});
  await subscribe(watcher);
  const { client } = await openAs(impostor.token);
  const { channel } = await join(client, topic, { ...PRIVATE, presence: { key: owner.id } });
  await channel.track({ person: owner.id });
  await eventually(() => Object.keys(watcher.channel.presenceState())).toEqual([impostor.id]);
});

test('refuses expired, forged and malformed tokens', async () => {
  const topic = await newTopic(backend, 'hear');
  const claims = decodeJwt((await newPerson()).token) as Claims;
  const refused = async (token: string) =>
    (await refusalOf((await openAs(token)).client, topic, PRIVATE))?.reason;
  expect(await refused(await sign({ ...claims, exp: secondsFromNow(-10) }))).toBe(
    'InvalidJWTToken: Token has expired',
  );
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const forger = await openTokens({ ...(await exportJWK(privateKey)), alg: 'ES256', kid: 'forged' });
  const forged = 'JwtSignatureError: Failed to validate JWT signature';
  expect(await refused(await forger.sign({ ...claims, role: 'service_role' }))).toBe(forged);
  expect(await refused('rubbish')).toBe(forged);
});

test('refuses the token of an ended session', async () => {
  const topic = await newTopic(backend, 'hear');
  const { client, user } = await signUp(backend);
  const token = (await client.auth.getSession()).data.session?.access_token ?? '';
  expect(user.id).toBe(decodeJwt(token).sub);
  await client.auth.signOut({ scope: 'global' });
  expect(await refusalOf((await openAs(token)).client, topic, PRIVATE)).toEqual(mayNotRead(topic));
});

test('replays earlier messages on request', async () => {
  const topic = await newTopic(backend, 'hear');
  const since = Date.now() - 60_000;
  for (const n of [1, 2, 3]) await announce(backend, topic, { n });
  const listener = listenTo(open(), topic, { private: true, broadcast: { replay: { since, limit: 2 } } });
  await subscribe(listener);
  await announce(backend, topic, { n: 4 });
  await eventually(() => listener.messages.length).toBe(3);
  expect(listener.messages).toEqual([
    {
      event: 'change',
      payload: expect.objectContaining({ n: 2 }),
      meta: expect.objectContaining({ replayed: true }),
    },
    {
      event: 'change',
      payload: expect.objectContaining({ n: 3 }),
      meta: expect.objectContaining({ replayed: true }),
    },
    { event: 'change', payload: expect.objectContaining({ n: 4 }), meta: { id: expect.any(String) } },
  ]);
});
