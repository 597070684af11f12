import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Engine } from '../../../../supabase/embedded/engine/engine.ts';
import { openEngine } from '../../../../supabase/embedded/engine/open.ts';
import { Unavailable } from '../../../../supabase/embedded/engine/unavailable.ts';
import { readKeys } from '../../../../supabase/embedded/keys.ts';
import { openRealtime } from '../../../../supabase/embedded/realtime/realtime.ts';
import { broadcast } from '../../../../supabase/embedded/realtime/rooms.ts';
import { readSettings } from '../../../../supabase/embedded/settings.ts';
import { openTokens, type Tokens } from '../../../../supabase/embedded/tokens.ts';
import { newDataFolder, removeData } from '../../../support/data-template.ts';
import { whereIs } from '../../../support/engine.ts';
import { CHANNELS, eventually } from './house.ts';
import { rawSocket } from './raw-socket.ts';

/* What takes long with the real times, and what needs a look at the other end. */

let data: string;
let engine: Engine;
let tokens: Tokens;
let keys: Awaited<ReturnType<typeof readKeys>>;
beforeAll(async () => {
  data = await newDataFolder(CHANNELS);
  const settings = readSettings(whereIs(data));
  engine = await openEngine(settings, () => {});
  keys = await readKeys(settings);
  tokens = await openTokens(keys.signing);
});
afterAll(async () => {
  await engine.close();
  await removeData(data);
});

/** Realtime alone, on a port of its own. */
async function openServer(times: Parameters<typeof openRealtime>[1] = {}, database = engine) {
  const realtime = await openRealtime({ engine: database, keys, tokens }, times);
  const server = createServer().listen(0, '127.0.0.1');
  server.on('upgrade', realtime.upgrade);
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const door = { url, publishableKey: keys.publishable };
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= (async () => {
      const closed = once(server, 'close');
      server.close();
      await realtime.close();
      await closed;
    })();
    return stopped;
  };
  onTestFinished(stop);
  return { realtime, stop, open: () => rawSocket(door) };
}

/** Somebody with a session, who may hear a topic. */
async function newGuest(topic: string) {
  const [id, session] = [randomUUID(), randomUUID()];
  await engine.exec(`
    insert into auth.users (id) values ('${id}');
    insert into auth.sessions (id, user_id) values ('${session}', '${id}');
    insert into public.guests values ('${topic}', '${id}', '{hear}');`);
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const token = await tokens.sign({ role: 'authenticated', sub: id, session_id: session, exp });
  return { id, session, token };
}

test('a socket that says nothing is dropped, and one that does is not', async () => {
  const server = await openServer({ silenceMs: 400 });
  const [silent, alive] = [await server.open(), await server.open()];
  const beating = setInterval(() => {
    alive.ask('phoenix', 'heartbeat');
  }, 50);
  onTestFinished(() => clearInterval(beating));
  expect(await silent.closed).toBe(1006);
  expect((await alive.ask('phoenix', 'heartbeat')).status).toBe('ok');
});

test.each([
  ['is demoted', (guest: { id: string }) => `delete from public.guests where person = '${guest.id}'`],
  [
    'is signed out',
    (guest: { session: string }) => `delete from auth.sessions where id = '${guest.session}'`,
  ],
])('somebody who %s loses the channel by themselves, and nobody else does', async (_what, statement) => {
  const server = await openServer({ recheckMs: 200 });
  const topic = `topic:${randomUUID()}`;
  const [guest, other] = [await newGuest(topic), await newGuest(topic)];
  const [lost, kept] = [await server.open(), await server.open()];
  const config = { private: true };
  for (const [raw, { token }] of [
    [lost, guest],
    [kept, other],
  ] as const) {
    const { status } = await raw.ask(`realtime:${topic}`, 'phx_join', { config, access_token: token });
    expect(status).toBe('ok');
  }
  await engine.exec(statement(guest));
  await eventually(() => lost.heard.map(({ event }) => event)).toContain('phx_close');
  expect(lost.heard.find(({ event }) => event === 'system')?.payload).toMatchObject({
    status: 'error',
    message: expect.stringContaining(`from this Channel topic: ${topic}`),
  });
  await engine.exec(`select realtime.send('{"n": 1}', 'change', '${topic}')`);
  await eventually(() => kept.broadcasts).toEqual([expect.objectContaining({ n: 1 })]);
  expect(lost.broadcasts).toEqual([]);
});

test('an outage of the database ends no channel, and what it hid is asked about afterwards', async () => {
  let away = false;
  const db: Engine['db'] = new Proxy(engine.db, {
    get(target, name) {
      if (away && name === 'startTransaction') throw new Unavailable();
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const server = await openServer({ recheckMs: 100 }, { ...engine, db });
  const topic = `topic:${randomUUID()}`;
  const guest = await newGuest(topic);
  const raw = await server.open();
  const config = { private: true };
  await raw.ask(`realtime:${topic}`, 'phx_join', { config, access_token: guest.token });
  away = true;
  // As somebody does who signs out: from now on they are everybody.
  raw.say(
    JSON.stringify([null, null, `realtime:${topic}`, 'access_token', { access_token: keys.publishable }]),
  );
  expect((await raw.ask('phoenix', 'heartbeat')).status).toBe('ok');
  await engine.exec(`select realtime.send('{"n": 1}', 'change', '${topic}')`);
  await eventually(() => raw.broadcasts).toHaveLength(1);
  away = false;
  await eventually(() => raw.heard.map(({ event }) => event)).toContain('phx_close');
});

test('who does not read what they are sent is dropped before it costs memory', async () => {
  const server = await openServer();
  const [lazy, reader] = [await server.open(), await server.open()];
  for (const raw of [lazy, reader]) await raw.ask('realtime:busy', 'phx_join');
  lazy.socket.pause();
  const room = server.realtime.hall.rooms.find('busy', false);
  expect(room?.members.size).toBe(2);
  const payload = JSON.stringify({ text: 'x'.repeat(512 * 1024) });
  let sent = 0;
  while (room && room.members.size === 2) {
    broadcast(room, { event: 'change', payload });
    sent += 1;
    await eventually(() => reader.broadcasts.length).toBe(sent);
    // What waits for it beyond what the machine itself holds, which is some megabytes.
    expect(sent).toBeLessThan(60);
  }
});

test('nobody is too slow for one large message', async () => {
  const server = await openServer();
  const reader = await server.open();
  await reader.ask('realtime:large', 'phx_join');
  const room = server.realtime.hall.rooms.find('large', false);
  for (const text of ['x'.repeat(16 * 1024 * 1024), 'x']) {
    if (room) broadcast(room, { event: 'change', payload: JSON.stringify(text) });
  }
  await eventually(() => reader.broadcasts.length).toBe(2);
});

test('a server that stops sends everybody away to come back', async () => {
  const server = await openServer();
  const raws = [await server.open(), await server.open()];
  for (const raw of raws) await raw.ask('realtime:room', 'phx_join');
  await server.stop();
  expect(await Promise.all(raws.map(({ closed }) => closed))).toEqual([1001, 1001]);
});

test('nobody is waited for who does not answer', async () => {
  const server = await openServer();
  const raw = await server.open();
  raw.socket.pause();
  await server.stop();
  raw.socket.terminate();
});
