import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startBackend, type TestBackend } from '../../../support/backend.ts';
import { sendRaw } from '../../../support/http-client.ts';
import { CHANNELS, eventually, PUBLIC_CHANNELS } from './channels.ts';
import { rawSocket, socketUrl } from './raw-socket.ts';

/* Requests of hostile clients. The backend must keep answering others. */

let backend: TestBackend;
beforeAll(async () => {
  backend = await startBackend({ migrations: CHANNELS, environment: PUBLIC_CHANNELS });
});
afterAll(async () => {
  await backend.stop();
  expect(backend.errors()).toBe('');
});

const open = async (from?: string) => {
  const raw = await rawSocket(backend, { from });
  onTestFinished(() => raw.socket.terminate());
  return raw;
};

/** Tries to open a socket. @returns the status and the body of the refusal */
async function knock(rest: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(socketUrl(backend, rest), { headers });
  socket.on('error', () => {});
  const [, answer] = await once(socket, 'unexpected-response');
  let body = '';
  for await (const piece of answer) body += piece;
  return [answer.statusCode, JSON.parse(body)];
}

test('refuses a socket without a valid key and version', async () => {
  const key = `apikey=${backend.publishableKey}`;
  expect(await knock('?vsn=2.0.0')).toEqual([401, { error: 'Invalid API key' }]);
  expect(await knock('?vsn=2.0.0&apikey=sb_publishable_wrong')).toEqual([401, { error: 'Invalid API key' }]);
  expect(await knock(`?${key}&vsn=3.0.0`)).toEqual([
    403,
    { error: 'Protocol version 1.0.0 or 2.0.0 is needed.' },
  ]);
  expect(await knock(`/elsewhere?${key}&vsn=2.0.0`)).toEqual([404, { error: 'There is nothing here.' }]);
  // Server clients send their key in a header.
  const headers = { apikey: backend.publishableKey };
  const socket = new WebSocket(socketUrl(backend, '?vsn=2.0.0'), { headers });
  await once(socket, 'open');
  socket.close();
  await once(socket, 'close');
});

test('ignores an offer to upgrade to HTTP/2', async () => {
  const headers = { connection: 'upgrade', upgrade: 'h2c', apikey: backend.publishableKey };
  const asking = request(`${backend.url}/health`, { headers }).end();
  const [answer] = await once(asking, 'response');
  expect(answer.statusCode).toBe(200);
  answer.destroy();
});

describe('unusual requests', () => {
  const path = () => `/realtime/v1/websocket?apikey=${backend.publishableKey}&vsn=2.0.0`;
  const WEBSOCKET =
    'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==';

  it('opens a WebSocket for an absolute URL', async () => {
    const { port, hostname } = new URL(backend.url);
    const line = connect(Number(port), hostname);
    line.write(`GET http://x${path()} HTTP/1.1\r\nhost: x\r\n${WEBSOCKET}\r\n\r\n`);
    const [answer] = await once(line, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 101 /);
    line.destroy();
  });

  it('answers CONNECT with 405 and HTTP/1.0 without a socket', async () => {
    const connectAnswer = await sendRaw(backend.url, 'CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n');
    expect(connectAnswer.status).toBe(405);
    const older = await sendRaw(backend.url, `GET ${path()} HTTP/1.0\r\nhost: x\r\n${WEBSOCKET}\r\n\r\n`);
    expect(older.status).toBe(401);
  });
});

test('refuses a socket request that is no WebSocket handshake', async () => {
  const { hostname, port } = new URL(backend.url);
  const line = connect(Number(port), hostname);
  line.write(
    `GET /realtime/v1/websocket?apikey=${backend.publishableKey}&vsn=2.0.0 HTTP/1.1\r\nHost: x\r\n` +
      'Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  );
  let answer = '';
  line.on('data', (piece) => {
    answer += piece;
  });
  await once(line, 'close');
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
});

const binary = (...bytes: number[]) => Buffer.from(bytes);
const names = ['1', '1', 'realtime:room', 'said', ''];
const header = (kind: number, encoding: number) =>
  Buffer.concat([binary(kind, ...names.map((name) => name.length), encoding), Buffer.from(names.join(''))]);

test.each<[string, string | Buffer]>([
  ['no JSON', '{"topic":'],
  ['no array', '{}'],
  ['an array of something else', '[1,2,3,4,5]'],
  ['a topic of a page', JSON.stringify([null, '1', 'realtime:'.padEnd(300, 'x'), 'phx_join', {}])],
  ['a broadcast without an event', JSON.stringify(['1', '1', 'realtime:room', 'broadcast', { payload: {} }])],
  [
    'a depth without end',
    `["1","1","realtime:room","broadcast",{"event":"x","payload":${'['.repeat(100_000)}`,
  ],
  ['nothing', Buffer.alloc(0)],
  ['bytes of another kind', header(4, 1)],
  ['bytes in no encoding', header(3, 7)],
  ['names longer than the frame', binary(3, 255, 255, 255, 255, 255, 1, 1)],
  ['bytes that say they are JSON', Buffer.concat([header(3, 1), Buffer.from('{')])],
  ['a name that is no text', Buffer.concat([binary(3, 0, 0, 1, 1, 0, 1), binary(0xff, 0xff)])],
])('%s closes the socket', async (_what, frame) => {
  const raw = await open();
  raw.say(frame);
  expect(await raw.closed).toBe(1007);
});

test('random bytes do no harm', async () => {
  for (let round = 0; round < 20; round++) {
    const raw = await open();
    const noise = randomBytes(1 + round * 7);
    noise[0] = 3;
    raw.say(noise);
    expect(await raw.closed).toBe(1007);
  }
});

test('agrees to no compression, which could expand a small frame', async () => {
  const { socket } = await open();
  expect(socket.extensions).toBe('');
});

test('a frame above the size limit closes the socket', async () => {
  const raw = await open();
  raw.say(Buffer.alloc(400 * 1024));
  expect(await raw.closed).toBe(1009);
});

test('an invalid frame closes the socket', async () => {
  const raw = await open();
  // @ts-expect-error ws has no public name for the underlying socket.
  raw.socket._socket.write(randomBytes(100).fill(0xff, 0, 2));
  expect([1002, 1006]).toContain(await raw.closed);
});

test('a flood of messages closes the socket', async () => {
  const raw = await open();
  const beat = JSON.stringify([null, '1', 'phoenix', 'heartbeat', {}]);
  for (let n = 0; n < 5000; n++) raw.say(beat);
  expect(await raw.closed).toBe(1008);
  const pinging = await open();
  for (let n = 0; n < 5000; n++) pinging.socket.ping();
  // The connection may break before the close code is read.
  expect([1006, 1008]).toContain(await pinging.closed);
});

test('a client above the message rate loses the channel, but not the socket', async () => {
  const raw = await open();
  await raw.ask('realtime:loud', 'phx_join');
  const message = JSON.stringify([null, null, 'realtime:loud', 'broadcast', { event: 'x', payload: {} }]);
  for (let n = 0; n < 400; n++) raw.say(message);
  await eventually(() => raw.received.map(({ event }) => event)).toContain('phx_close');
  expect(raw.received.find(({ event }) => event === 'system')?.payload).toEqual({
    extension: 'system',
    status: 'error',
    message: 'Too many messages per second',
    channel: 'loud',
  });
  expect((await raw.ask('phoenix', 'heartbeat')).status).toBe('ok');
  expect((await raw.ask('realtime:loud', 'anything')).response).toEqual({ reason: 'unmatched topic' });
  expect((await raw.ask('realtime:loud', 'phx_join')).status).toBe('ok');
});

test('a socket can join a hundred channels', async () => {
  const raw = await open();
  const joins = await Promise.all(
    Array.from({ length: 101 }, (_, n) => raw.ask(`realtime:room:${n}`, 'phx_join')),
  );
  expect(joins.filter(({ status }) => status === 'ok')).toHaveLength(100);
  expect(joins.at(-1)?.response).toEqual({ reason: 'ChannelRateLimitReached: Too many channels' });
  expect((await raw.ask('realtime:room:0', 'phx_leave')).status).toBe('ok');
  expect((await raw.ask('realtime:room:100', 'phx_join')).status).toBe('ok');
});

test('a second join replaces the first one', async () => {
  const raw = await open();
  const quietly = { config: { presence: { enabled: false } } };
  await raw.ask('realtime:twice', 'phx_join', quietly);
  await raw.ask('realtime:twice', 'phx_join', quietly);
  expect(raw.received.map(({ joinRef, event }) => [joinRef, event])).toEqual([
    ['1', 'phx_reply'],
    ['1', 'phx_close'],
    ['2', 'phx_reply'],
  ]);
});

test('messages with an outdated join reference are ignored', async () => {
  const [raw, other] = [await open(), await open()];
  for (const each of [raw, raw, other]) await each.ask('realtime:late', 'phx_join');
  const say = (joinRef: string, n: number) =>
    raw.say(JSON.stringify([joinRef, null, 'realtime:late', 'broadcast', { event: 'x', payload: { n } }]));
  say('1', 1);
  say('2', 2);
  await eventually(() => other.broadcasts).toEqual([{ n: 2 }]);
});

test('a client network can open a limited number of sockets', async () => {
  const key = `?apikey=${backend.publishableKey}&vsn=2.0.0`;
  const from = { ...backend.headers, 'x-forwarded-for': '203.0.113.9' };
  const sockets: WebSocket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.terminate();
  });
  const some = async (count: number) => {
    const opening = Array.from(
      { length: count },
      () => new WebSocket(socketUrl(backend, key), { headers: from }),
    );
    sockets.push(...opening);
    await Promise.all(opening.map((socket) => once(socket, 'open')));
  };
  for (let n = 0; n < 10; n++) await some(100);
  expect(await knock(key, from)).toEqual([429, { error: 'Too many connections' }]);
  for (const other of ['203.0.113.10', undefined]) await open(other);
});
