import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  CLIENT_NETWORK_LIMITS,
  MAX_PRESENCES_PER_CHANNEL,
} from '../../../../packages/embedded-supabase/src/realtime/limits.ts';
import { joinAs, realtimeAlone } from './alone.ts';
import { eventually } from './channels.ts';
import type { RawSocket } from './raw-socket.ts';

/* Races while joining, and the cost of a full channel. */

let alone: Awaited<ReturnType<typeof realtimeAlone>>;
beforeAll(async () => {
  alone = await realtimeAlone();
});
afterAll(() => alone.close());

/** Opens a channel with a listener, which confirms that a message was sent. */
async function openRoom() {
  const topic = `topic:${randomUUID()}`;
  const server = await alone.openServer();
  const witness = await server.open();
  await joinAs(witness, topic, (await alone.newGuest(topic)).token);
  const announce = async (n: number) => {
    const before = witness.broadcasts.length;
    await alone.engine.exec(`select realtime.send('{"n": ${n}}', 'change', '${topic}')`);
    await eventually(() => witness.broadcasts.length).toBe(before + 1);
  };
  return { topic, server, announce, token: (await alone.newGuest(topic)).token };
}

const numbers = (raw: RawSocket) => raw.broadcasts.map((payload) => (payload as { n: number }).n);
const replay = () => ({ broadcast: { replay: { since: Date.now() - 60_000 } } });

test.each(['before', 'after'] as const)('a message sent %s the replay is delivered once', async (when) => {
  const { topic, server, announce, token } = await openRoom();
  const { context } = server.realtime;
  const read = context.readRecentMessages;
  context.readRecentMessages = async (...asked) => {
    if (when === 'before') await announce(2);
    const messages = await read(...asked);
    if (when === 'after') await announce(2);
    return messages;
  };
  await announce(1);
  const raw = await server.open();
  expect((await joinAs(raw, topic, token, replay())).status).toBe('ok');
  await announce(3);
  await eventually(() => numbers(raw)).toContain(3);
  expect(numbers(raw)).toEqual([1, 2, 3]);
  // Nothing is received before the reply to the join.
  expect(raw.received[0]?.event).toBe('phx_reply');
});

test('a failing replay refuses the join', async () => {
  const { topic, server, token } = await openRoom();
  const { context } = server.realtime;
  const read = context.readRecentMessages;
  context.readRecentMessages = () => Promise.reject(new TypeError('Not readable.'));
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  const raw = await server.open();
  expect((await joinAs(raw, topic, token, replay())).status).toBe('error');
  expect(context.channels.find(topic, true)?.subscribers.size).toBe(1);
  expect(log).toHaveBeenCalledTimes(1);
  log.mockRestore();
  context.readRecentMessages = read;
  expect((await joinAs(raw, topic, token, replay())).status).toBe('ok');
});

/** A public channel with a number of presences. */
async function fullRoom(presences: number, text = '') {
  const server = await alone.openServer();
  const [raw, holder] = [await server.open('203.0.113.7'), await server.open()];
  // A channel without subscribers is deleted.
  await holder.ask('realtime:full', 'phx_join', { config: { presence: { enabled: false } } });
  await raw.ask('realtime:full', 'phx_join', { config: { presence: { key: 'me' } } });
  const room = server.realtime.context.channels.find('full', false);
  for (let n = 0; n < presences; n++) room?.presence.track({}, `other-${n}`, { text });
  const track = (n: number) =>
    raw.ask('realtime:full', 'presence', { type: 'presence', event: 'track', payload: { n } });
  return { server, raw, track };
}

test('a full channel allows changes of presences, but no new ones', async () => {
  const { server, track } = await fullRoom(MAX_PRESENCES_PER_CHANNEL - 1);
  expect((await track(1)).status).toBe('ok');
  expect((await track(2)).status).toBe('ok');
  const late = await server.open();
  await late.ask('realtime:full', 'phx_join');
  const more = { type: 'presence', event: 'track', payload: {} };
  expect((await late.ask('realtime:full', 'presence', more)).status).toBe('error');
});

test('the presence state counts towards the rate limit of its receiver', async () => {
  const { raw } = await fullRoom(MAX_PRESENCES_PER_CHANNEL, 'x'.repeat(4000));
  const enough = Math.ceil(CLIENT_NETWORK_LIMITS.deliveryRate.capacity / (MAX_PRESENCES_PER_CHANNEL * 4000));
  const closed = () => raw.received.find(({ event }) => event === 'system');
  for (let n = 0; n < 5 * enough && !closed(); n++) await raw.ask('realtime:full', 'phx_join');
  expect(closed()?.payload).toMatchObject({ message: 'Too many messages per second' });
});
