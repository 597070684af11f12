import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { DatabaseFault, UnavailableError } from '../../../../packages/embedded-supabase/src/engine/errors.ts';
import { joinAs, realtimeAlone, showToken, watched } from './alone.ts';
import { eventually } from './channels.ts';
import type { RawSocket } from './raw-socket.ts';

/* Permissions of joined clients are checked again when their token changes, and regularly. */

let alone: Awaited<ReturnType<typeof realtimeAlone>>;
beforeAll(async () => {
  alone = await realtimeAlone();
});
afterAll(() => alone.close());

const newTopic = () => `topic:${randomUUID()}`;
const events = (raw: RawSocket) => raw.received.map(({ event }) => event);
const announce = (topic: string, n: number) =>
  alone.engine.exec(`select realtime.send('{"n": ${n}}', 'change', '${topic}')`);

test.each([
  ['is demoted', (guest: { id: string }) => `delete from public.guests where person = '${guest.id}'`],
  [
    'is signed out',
    (guest: { session: string }) => `delete from auth.sessions where id = '${guest.session}'`,
  ],
])('a person who %s loses the channel, and others do not', async (_what, statement) => {
  const server = await alone.openServer({ recheckIntervalMs: 200 });
  const topic = newTopic();
  const [guest, other] = [await alone.newGuest(topic), await alone.newGuest(topic)];
  const [lost, kept] = [await server.open(), await server.open()];
  expect((await joinAs(lost, topic, guest.token)).status).toBe('ok');
  expect((await joinAs(kept, topic, other.token)).status).toBe('ok');
  await alone.engine.exec(statement(guest));
  await eventually(() => events(lost)).toContain('phx_close');
  expect(lost.received.find(({ event }) => event === 'system')?.payload).toMatchObject({
    status: 'error',
    message: expect.stringContaining(`from this Channel topic: ${topic}`),
  });
  await announce(topic, 1);
  await eventually(() => kept.broadcasts).toEqual([expect.objectContaining({ n: 1 })]);
  expect(lost.broadcasts).toEqual([]);
});

const fault = (code: string, message: string) => new DatabaseFault({ code, message });

test.each([
  ['an outage', () => new UnavailableError()],
  ['a full disk', () => fault('53100', 'could not extend file')],
  ['a question that took too long', () => fault('57014', 'canceling statement due to statement timeout')],
])('%s ends no channel, and the check is repeated afterwards', async (_what, error) => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  const watch = watched(alone.engine);
  const server = await alone.openServer({ recheckIntervalMs: 100 }, watch.engine);
  const topic = newTopic();
  const guest = await alone.newGuest(topic);
  const [leaver, stayer] = [await server.open(), await server.open()];
  for (const raw of [leaver, stayer]) await joinAs(raw, topic, guest.token);
  watch.meet = () => Promise.reject(error());
  // As after a sign-out, the client now has the permissions of a visitor.
  await showToken(leaver, topic, alone.key);
  const before = watch.asked;
  await eventually(() => watch.asked).toBeGreaterThan(before + 2);
  await announce(topic, 1);
  for (const raw of [leaver, stayer]) await eventually(() => raw.broadcasts).toHaveLength(1);
  watch.meet = async () => {};
  await eventually(() => events(leaver)).toContain('phx_close');
  expect(events(stayer)).not.toContain('phx_close');
  log.mockRestore();
});

test('ignores the result for a token that has been replaced', async () => {
  const watch = watched(alone.engine);
  const server = await alone.openServer({ recheckIntervalMs: 100 }, watch.engine);
  const topic = newTopic();
  const [before, after] = [await alone.newGuest(topic), await alone.newGuest(topic)];
  const raw = await server.open();
  await joinAs(raw, topic, before.token);
  const [held, ended] = [Promise.withResolvers<void>(), fault('PT401', 'signed_out')];
  watch.meet = () => {
    watch.meet = async () => {};
    return held.promise;
  };
  const asked = watch.asked;
  await eventually(() => watch.asked).toBe(asked + 1);
  await showToken(raw, topic, after.token);
  held.reject(ended);
  await announce(topic, 1);
  await eventually(() => raw.broadcasts).toHaveLength(1);
  expect(events(raw)).not.toContain('phx_close');
});

test('checks equal permissions once, and starts no new round meanwhile', async () => {
  const watch = watched(alone.engine);
  const other = watched(alone.engine);
  const server = await alone.openServer({ recheckIntervalMs: 100 }, watch.engine);
  const ticking = await alone.openServer({ recheckIntervalMs: 100 }, other.engine);
  const topic = newTopic();
  const guest = await alone.newGuest(topic);
  const raws = await Promise.all(Array.from({ length: 5 }, () => server.open()));
  const held = Promise.withResolvers<void>();
  for (const raw of [...raws, await ticking.open()]) await joinAs(raw, topic, guest.token);
  watch.meet = () => held.promise;
  const [asked, ticks] = [watch.asked, other.asked];
  await eventually(() => watch.asked).toBeGreaterThan(asked);
  await eventually(() => other.asked).toBeGreaterThan(ticks + 5);
  await alone.engine.exec(`delete from public.guests where person = '${guest.id}'`);
  held.resolve();
  for (const raw of raws) await eventually(() => events(raw)).toContain('phx_close');
  expect(watch.asked).toBe(asked + 1);
});

test('does not check tokens of closed sockets', async () => {
  const watch = watched(alone.engine);
  const server = await alone.openServer({ idleTimeoutMs: 1000 }, watch.engine);
  const topic = newTopic();
  const [gone, held] = [await server.open(), Promise.withResolvers<void>()];
  watch.meet = () => held.promise;
  // The joins are sent in one piece, because the server does not read from a socket while its join waits.
  // @ts-expect-error ws has no public name for the underlying socket.
  const wire = gone.socket._socket;
  wire.cork();
  for (const n of [1, 2, 3]) {
    gone.say(JSON.stringify(['1', '1', `realtime:${topic}:${n}`, 'phx_join', { config: { private: true } }]));
  }
  wire.uncork();
  await eventually(() => watch.asked).toBe(1);
  await gone.closed;
  held.resolve();
  await joinAs(await server.open(), topic);
  expect(watch.asked).toBe(2);
});

test('sends the presence state to a client that may see it again', async () => {
  const server = await alone.openServer({ recheckIntervalMs: 100 });
  const topic = newTopic();
  const [guest, shown] = [await alone.newGuest(topic), await alone.newGuest(topic, 'hear,see,show')];
  const [raw, other] = [await server.open(), await server.open()];
  await joinAs(raw, topic, guest.token);
  await joinAs(other, topic, shown.token);
  const track = { type: 'presence', event: 'track', payload: { on: 'desk' } };
  expect((await other.ask(`realtime:${topic}`, 'presence', track)).status).toBe('ok');
  expect(events(raw)).not.toContain('presence_state');
  await alone.engine.exec(`update public.guests set may = '{hear,see}' where person = '${guest.id}'`);
  await eventually(() => raw.received.find(({ event }) => event === 'presence_state')?.payload).toMatchObject(
    {
      [shown.id]: { metas: [{ on: 'desk' }] },
    },
  );
});
