import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { broadcast } from '../../../../packages/embedded-supabase/src/realtime/channels.ts';
import { realtimeAlone } from './alone.ts';
import { eventually } from './channels.ts';

/* Conditions that have long timeouts, or that only the server's side can cause. */

let alone: Awaited<ReturnType<typeof realtimeAlone>>;
beforeAll(async () => {
  alone = await realtimeAlone();
});
afterAll(() => alone.close());

test('drops silent sockets, and keeps those with a heartbeat', async () => {
  const server = await alone.openServer({ idleTimeoutMs: 2000 });
  const [silent, alive] = [await server.open(), await server.open()];
  const beat = JSON.stringify([null, null, 'phoenix', 'heartbeat', {}]);
  const beating = setInterval(() => alive.say(beat), 50);
  onTestFinished(() => clearInterval(beating));
  expect(await silent.closed).toBe(1006);
  expect((await alive.ask('phoenix', 'heartbeat')).status).toBe('ok');
});

test('drops a client that does not read, before it takes memory', async () => {
  const server = await alone.openServer();
  const [lazy, reader] = [await server.open(), await server.open()];
  for (const raw of [lazy, reader]) await raw.ask('realtime:busy', 'phx_join');
  lazy.socket.pause();
  const room = server.realtime.context.channels.find('busy', false);
  expect(room?.subscribers.size).toBe(2);
  const payload = JSON.stringify({ text: 'x'.repeat(512 * 1024) });
  let sent = 0;
  while (room && room.subscribers.size === 2) {
    broadcast(room, { event: 'change', payload });
    sent += 1;
    await eventually(() => reader.broadcasts.length).toBe(sent);
    // The socket buffers take some megabytes before the limit applies.
    expect(sent).toBeLessThan(60);
  }
});

test('does not drop a client for one large message', async () => {
  const server = await alone.openServer();
  const reader = await server.open();
  await reader.ask('realtime:large', 'phx_join');
  const room = server.realtime.context.channels.find('large', false);
  for (const text of ['x'.repeat(16 * 1024 * 1024), 'x']) {
    if (room) broadcast(room, { event: 'change', payload: JSON.stringify(text) });
  }
  await eventually(() => reader.broadcasts.length).toBe(2);
});

test('closes all sockets with a restart code when it stops', async () => {
  const server = await alone.openServer();
  const raws = [await server.open(), await server.open()];
  for (const raw of raws) await raw.ask('realtime:room', 'phx_join');
  await server.stop();
  expect(await Promise.all(raws.map(({ closed }) => closed))).toEqual([1001, 1001]);
});

test('does not wait for sockets that do not answer', async () => {
  const server = await alone.openServer();
  const raw = await server.open();
  raw.socket.pause();
  await server.stop();
  raw.socket.terminate();
});
