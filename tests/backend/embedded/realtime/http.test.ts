import { expect, onTestFinished } from 'vitest';
import {
  CLIENT_NETWORK_LIMITS,
  DELIVERY_OVERHEAD_BYTES,
  MAX_PAYLOAD_BYTES,
  MAX_SERVER_PAYLOAD_BYTES,
} from '../../../../packages/embedded-supabase/src/realtime/limits.ts';
import { signUp, type TestBackend } from '../../../support/backend.ts';
import { allow, clientOf, clientWith, eventually, join, newTopic, test } from './channels.ts';

const OCTETS = { 'content-type': 'application/octet-stream' };

/* Broadcasts over HTTP. */

let backend: TestBackend;
test.beforeAll(async ({ backend: shared }) => {
  backend = shared;
});

function open() {
  const client = clientOf(backend);
  onTestFinished(async () => {
    await client.removeAllChannels();
  });
  return client;
}

const post = async (
  body: unknown,
  { path = '/api/broadcast', key = backend.publishableKey, headers = {} as Record<string, string> } = {},
) => {
  const answer = await fetch(`${backend.url}/realtime/v1${path}`, {
    method: 'POST',
    headers: { apikey: key, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: answer.status, said: await answer.text() };
};

test('delivers several messages of one call in order', async () => {
  const topic = await newTopic(backend);
  const listener = await join(open(), topic);
  const messages = [1, 2, 3].map((n) => ({ topic, event: 'said', payload: { n } }));
  expect(await post({ messages })).toEqual({ status: 202, said: '' });
  await eventually(() => listener.payloads()).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
});

test('sends messages of a client that has not joined', async () => {
  const topic = await newTopic(backend);
  const listener = await join(open(), topic);
  const channel = open().channel(topic);
  expect(await channel.httpSend('said', { words: 'Grüße 🌊' })).toEqual({ success: true });
  const bytes = Uint8Array.from([0, 255, 7]).buffer;
  expect(await channel.httpSend('photo', bytes)).toEqual({ success: true });
  await eventually(() => listener.messages).toEqual([
    { event: 'said', payload: { words: 'Grüße 🌊' } },
    { event: 'photo', payload: bytes },
  ]);
});

test('sends to private channels only what the caller may send', async () => {
  const [topic, other] = [await newTopic(backend, 'hear'), await newTopic(backend, 'hear', 'send')];
  const { client, user } = await signUp(backend);
  await allow(backend, topic, ['send'], user.id);
  const token = (await client.auth.getSession()).data.session?.access_token ?? '';
  const [listener, there] = [
    await join(open(), topic, { private: true }),
    await join(open(), other, { private: true }),
  ];
  const writer = await clientWith(backend, token);
  const send = (by: object) =>
    writer.client.channel(topic, { config: { private: true } }).httpSend('said', by);
  expect(await send({ by: 'writer' })).toEqual({ success: true });
  const event = `/api/broadcast/${topic}/events/said?private=true`;
  expect(await post({ by: 'eve' }, { path: event })).toEqual({
    status: 403,
    said: '{"message":"Unauthorized"}',
  });
  const messages = [topic, other].map((to) => ({
    topic: to,
    event: 'said',
    payload: { by: 'eve' },
    private: true,
  }));
  expect((await post({ messages })).status).toBe(202);
  expect((await post({ by: 'server' }, { path: event, key: backend.secretKey })).status).toBe(202);
  await eventually(() => there.payloads()).toEqual([{ by: 'eve' }]);
  await eventually(() => listener.payloads()).toEqual([{ by: 'writer' }, { by: 'server' }]);

  await client.auth.signOut();
  const over = await post({ by: 'writer' }, { path: event, headers: { authorization: `Bearer ${token}` } });
  expect(over).toEqual({ status: 401, said: '{"message":"Unauthorized"}' });
});

test('takes channel and event from the path', async () => {
  const [topic, other] = [await newTopic(backend), await newTopic(backend)];
  const [listener, elsewhere] = [await join(open(), topic), await join(open(), other)];
  const path = `/api/broadcast/${topic}/events/said?topic=${other}&event=shouted`;
  expect((await post({ n: 1 }, { path })).status).toBe(202);
  expect((await post({ n: 2 }, { path: `/api/broadcast/${other}/events/said` })).status).toBe(202);
  await eventually(() => elsewhere.messages).toEqual([{ event: 'said', payload: { n: 2 } }]);
  await eventually(() => listener.messages).toEqual([{ event: 'said', payload: { n: 1 } }]);
});

test('reports the size limit to a caller who exceeds it', async () => {
  const path = '/api/broadcast/t/events/x';
  const sent = (bytes: number, key: string) => post('x'.repeat(bytes), { path, key, headers: OCTETS });
  const said = async (...much: Parameters<typeof sent>) => (await sent(...much)).said;
  expect(await said(MAX_PAYLOAD_BYTES, backend.publishableKey)).toBe('');
  expect(await said(MAX_SERVER_PAYLOAD_BYTES + 1, backend.secretKey)).toContain('at most 3072 KB');
  expect((await post({}, { path: '/api/broadcast' })).said).toContain('at most 256 KB');
});

test.each([
  ['no key', { messages: [] }, { key: '' }, 401],
  ['a wrong key', { messages: [] }, { key: 'sb_secret_wrong' }, 401],
  ['a forged token', { messages: [] }, { headers: { authorization: 'Bearer rubbish' } }, 401],
  ['no JSON', '{', {}, 422],
  ['no messages', {}, {}, 422],
  ['a message without a topic', { messages: [{ event: 'x', payload: {} }] }, {}, 422],
  ['a message without an event', { messages: [{ topic: 'x', payload: {} }] }, {}, 422],
  ['a message without a payload', { messages: [{ topic: 'x', event: 'x' }] }, {}, 422],
  ['a name of a page', { messages: [{ topic: 'x'.repeat(300), event: 'x', payload: {} }] }, {}, 422],
  ['a message that is to be kept', {}, { path: '/api/broadcast/t/events/x?private=true&persist=true' }, 422],
  [
    'more than a message holds',
    { messages: [{ topic: 'x', event: 'x', payload: 'x'.repeat(300_000) }] },
    {},
    413,
  ],
])('refuses %s', async (_what, body, how, status) => {
  expect((await post(body, how)).status).toBe(status);
});

test('refuses a call about too many private topics before it asks about any of them', async () => {
  const about = (count: number) =>
    post({
      messages: Array.from({ length: count }, (_, n) => ({
        topic: `room ${n}`,
        event: 'said',
        payload: {},
        private: true,
      })),
    });
  expect((await about(CLIENT_NETWORK_LIMITS.joinRate.capacity + 1)).status).toBe(429);
  expect((await about(CLIENT_NETWORK_LIMITS.joinRate.capacity / 4)).status).toBe(202);
});

test('sends all messages of a call, or none of them when they are too many to deliver', async () => {
  const topic = await newTopic(backend);
  const clients = Array.from({ length: 60 }, () => clientOf(backend));
  // One after the other they would take a quarter of a minute.
  onTestFinished(async () => {
    await Promise.all(clients.map((client) => client.removeAllChannels()));
  });
  const listeners = await Promise.all(clients.map((client) => join(client, topic)));
  const message = { topic, event: 'e', payload: {} };
  const count = 1_200;
  expect(count * listeners.length * DELIVERY_OVERHEAD_BYTES).toBeGreaterThan(
    CLIENT_NETWORK_LIMITS.deliveryRate.capacity,
  );
  expect((await post({ messages: Array(count).fill(message) })).status).toBe(429);
  expect((await post({ messages: [{ ...message, payload: { n: 'last' } }] })).status).toBe(202);
  const received = () => listeners.map((listener) => listener.payloads());
  await eventually(received).toEqual(listeners.map(() => [{ n: 'last' }]));
});

test('has a larger limit for the server', async () => {
  const topic = await newTopic(backend);
  const listener = await join(open(), topic);
  const messages = [{ topic, event: 'said', payload: { text: 'x'.repeat(2_000_000) } }];
  expect((await post({ messages }, { key: backend.secretKey })).status).toBe(202);
  await eventually(() => listener.messages.length).toBe(1);
});

test('answers preflight requests of other origins', async () => {
  const answer = await fetch(`${backend.url}/realtime/v1/api/broadcast`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://elsewhere.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'apikey,authorization,content-type',
    },
  });
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(answer.headers.get('access-control-allow-headers')).toContain('apikey');
});
