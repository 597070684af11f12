import { describe, expect } from 'vitest';
import { serviceClient, type TestBackend } from '../../../support/backend.ts';
import {
  announce,
  eventually,
  join,
  newTopic,
  passingClient,
  refusalOf,
  test,
  VERSIONS,
} from './channels.ts';

/* Broadcasts between unmodified clients. */

let backend: TestBackend;
test.beforeAll(async ({ backend: shared }) => {
  backend = shared;
});

const open = (vsn?: string) => passingClient(backend, vsn);

const message = (event: string, payload: object) => ({ type: 'broadcast' as const, event, payload });
const WORDS = { words: 'Grüße aus Köln 🌊', list: [1, { a: null }], '': '"\\' };

describe.each(VERSIONS)('protocol %s', (vsn) => {
  test('delivers a message to the other clients of a channel only', async () => {
    const topic = await newTopic(backend);
    const one = await join(open(vsn), topic);
    const others = await Promise.all(VERSIONS.map((each) => join(open(each), topic)));
    expect(await one.channel.send(message('said', WORDS))).toBe('ok');
    expect(await others[0]?.channel.send(message('answered', {}))).toBe('ok');
    await eventually(() => one.messages).toEqual([{ event: 'answered', payload: {} }]);
    await eventually(() => others[0]?.messages).toEqual([{ event: 'said', payload: WORDS }]);
    await eventually(() => others[1]?.payloads()).toEqual([WORDS, {}]);
  });

  test('delivers messages to their sender and acknowledges them on request', async () => {
    const topic = await newTopic(backend);
    const both = await join(open(vsn), topic, { broadcast: { self: true, ack: true } });
    expect(await both.channel.send(message('said', { n: 1 }))).toBe('ok');
    expect(both.payloads()).toEqual([{ n: 1 }]);
  });

  test('refuses a message that is too large, and keeps the channel', async () => {
    const topic = await newTopic(backend);
    const { channel } = await join(open(vsn), topic, { broadcast: { ack: true } });
    const large = { text: 'x'.repeat(256 * 1024) };
    expect(await channel.send(message('said', large))).toBe('error');
    expect(await channel.send(message('said', { n: 1 }))).toBe('ok');
  });

  test('delivers nothing after leaving a channel, which can be joined again', async () => {
    const [topic, other] = [await newTopic(backend), await newTopic(backend)];
    const client = open(vsn);
    const first = await join(client, topic);
    const second = await join(client, other);
    expect(await client.removeChannel(first.channel)).toBe('ok');
    expect(first.statuses.at(-1)?.status).toBe('CLOSED');
    const again = await join(client, topic);
    await announcePublicly(topic, { n: 1 });
    await announcePublicly(other, { n: 2 });
    await eventually(() => again.payloads()).toEqual([expect.objectContaining({ n: 1 })]);
    await eventually(() => second.payloads()).toEqual([expect.objectContaining({ n: 2 })]);
    expect(first.messages).toEqual([]);
  });
});

const announcePublicly = (topic: string, ...messages: object[]) =>
  serviceClient(backend).rpc('announce', { topic, messages, private: false }).throwOnError();

test('delivers binary payloads as bytes, if the protocol has them', async () => {
  const topic = await newTopic(backend);
  const [one, new_, old] = await Promise.all(
    [open(), open(), open('1.0.0')].map((client) => join(client, topic)),
  );
  const bytes = Uint8Array.from({ length: 1000 }, (_, n) => n % 256).buffer;
  await one?.channel.send(message('photo', bytes));
  await one?.channel.send(message('said', { n: 1 }));
  await eventually(() => new_?.payloads()).toEqual([bytes, { n: 1 }]);
  await eventually(() => old?.payloads()).toEqual([{ n: 1 }]);
});

test('separates the public and private channel of the same name', async () => {
  const topic = await newTopic(backend, 'hear', 'send');
  const [outside, stranger, inside, member] = await Promise.all([
    join(open(), topic),
    join(open(), topic),
    join(open(), topic, { private: true }),
    join(open(), topic, { private: true }),
  ]);
  await outside.channel.send(message('said', { by: 'stranger' }));
  await outside.channel.httpSend('said', { by: 'stranger, over HTTP' });
  await announcePublicly(topic, { by: 'the database, to all' });
  await inside.channel.send(message('said', { by: 'member' }));
  await inside.channel.httpSend('said', { by: 'member, over HTTP' });
  await announce(backend, topic, { by: 'the database' });
  const to = (...names: string[]) => names.map((by) => expect.objectContaining({ by }));
  await eventually(() => stranger.payloads()).toEqual(
    to('stranger', 'stranger, over HTTP', 'the database, to all'),
  );
  await eventually(() => member.payloads()).toEqual(to('member', 'member, over HTTP', 'the database'));
});

test('does not offer postgres_changes, and the client reports it', async () => {
  const channel = open().channel('rows');
  const said = Promise.withResolvers<[string, string | undefined]>();
  channel
    .on('postgres_changes', { event: '*', schema: 'public', table: 'guests' }, () => {})
    .subscribe((status, error) => said.resolve([status, error?.message]));
  expect(await said.promise).toEqual([
    'CHANNEL_ERROR',
    'PostgresChangesNotOffered: Send what has changed with realtime.send() instead',
  ]);
});

test('needs a name for a channel', async () => {
  expect(await refusalOf(open(), '')).toEqual({
    status: 'CHANNEL_ERROR',
    reason: 'TopicNameRequired: You must provide a topic name',
  });
});
