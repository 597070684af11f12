import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serviceClient, startBackend, type TestBackend } from '../../../support/backend.ts';
import {
  announce,
  CHANNELS,
  eventually,
  join,
  newTopic,
  PUBLIC_CHANNELS,
  passingClient,
  refusalOf,
  VERSIONS,
} from './house.ts';

/* Messages between clients, through the unmodified one. */

let backend: TestBackend;
beforeAll(async () => {
  backend = await startBackend({ migrations: CHANNELS, environment: PUBLIC_CHANNELS });
});
afterAll(() => backend.stop());

const open = (vsn?: string) => passingClient(backend, vsn);

const message = (event: string, payload: object) => ({ type: 'broadcast' as const, event, payload });
const WORDS = { words: 'Grüße aus Köln 🌊', list: [1, { a: null }], '': '"\\' };

describe.each(VERSIONS)('protocol %s', (vsn) => {
  test('what one client says in a channel, the others hear and it does not', async () => {
    const topic = await newTopic(backend);
    const one = await join(open(vsn), topic);
    const others = await Promise.all(VERSIONS.map((each) => join(open(each), topic)));
    expect(await one.channel.send(message('said', WORDS))).toBe('ok');
    expect(await others[0]?.channel.send(message('answered', {}))).toBe('ok');
    await eventually(() => one.heard).toEqual([{ event: 'answered', payload: {} }]);
    await eventually(() => others[0]?.heard).toEqual([{ event: 'said', payload: WORDS }]);
    await eventually(() => others[1]?.payloads()).toEqual([WORDS, {}]);
  });

  test('a client that wants to hear itself does, and one that wants an answer gets one', async () => {
    const topic = await newTopic(backend);
    const both = await join(open(vsn), topic, { broadcast: { self: true, ack: true } });
    expect(await both.channel.send(message('said', { n: 1 }))).toBe('ok');
    expect(both.payloads()).toEqual([{ n: 1 }]);
  });

  test('what is too large is refused, and the channel stays', async () => {
    const topic = await newTopic(backend);
    const { channel } = await join(open(vsn), topic, { broadcast: { ack: true } });
    const large = { text: 'x'.repeat(256 * 1024) };
    expect(await channel.send(message('said', large))).toBe('error');
    expect(await channel.send(message('said', { n: 1 }))).toBe('ok');
  });

  test('a channel that was left is quiet, and can be joined again', async () => {
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
    expect(first.heard).toEqual([]);
  });
});

const announcePublicly = (topic: string, ...messages: object[]) =>
  serviceClient(backend).rpc('announce', { topic, messages, private: false }).throwOnError();

test('bytes arrive as bytes, but where the protocol has none', async () => {
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

test('the public and the private channel of one name are two', async () => {
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

test('a change of rows is not on offer, and the client says so', async () => {
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

test('a channel needs a name', async () => {
  expect(await refusalOf(open(), '')).toEqual({
    status: 'CHANNEL_ERROR',
    reason: 'TopicNameRequired: You must provide a topic name',
  });
});
