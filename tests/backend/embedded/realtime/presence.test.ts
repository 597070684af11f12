import type { RealtimeChannel } from '@supabase/supabase-js';
import { expect } from 'vitest';
import type { TestBackend } from '../../../support/backend.ts';
import {
  allow,
  eventually,
  join,
  type Listener,
  listenTo,
  newTopic,
  passingClient,
  subscribe,
  test,
  VERSIONS,
} from './channels.ts';

/* Presence, as the unmodified client builds it. */

let backend: TestBackend;
test.beforeAll(async ({ backend: shared }) => {
  backend = shared;
});

const open = (vsn?: string) => passingClient(backend, vsn);

/** Joins a channel and records its presence events. */
async function watch(
  topic: string,
  { vsn, key = '', ...config }: { vsn?: string; key?: string; private?: boolean } = {},
) {
  const client = open(vsn);
  const listener = listenTo(client, topic, { ...config, presence: { key } });
  const told: string[] = [];
  listener.channel
    .on('presence', { event: 'join' }, ({ key: who }) => told.push(`${who} came`))
    .on('presence', { event: 'leave' }, ({ key: who }) => told.push(`${who} left`));
  await subscribe(listener);
  return { ...listener, told, client };
}

/** The presence state by key. */
const seen = ({ channel }: Pick<Listener, 'channel'>) =>
  Object.fromEntries(
    Object.entries(channel.presenceState()).map(([key, metas]) => [
      key,
      metas.map(({ presence_ref: _ref, ...state }) => state),
    ]),
  );

const track = async (channel: RealtimeChannel, state: object) =>
  expect(await channel.track({ ...state })).toBe('ok');

test.each(VERSIONS)('shows everyone who joins, changes and leaves: protocol %s', async (vsn) => {
  const topic = await newTopic(backend);
  const ada = await watch(topic, { vsn, key: 'ada' });
  await track(ada.channel, { on: 'phone' });
  const bob = await watch(topic, { vsn, key: 'bob' });
  await eventually(() => seen(bob)).toEqual({ ada: [{ on: 'phone' }] });
  await track(bob.channel, { on: 'desk' });
  const both = { ada: [{ on: 'phone' }], bob: [{ on: 'desk' }] };
  await eventually(() => [seen(ada), seen(bob)]).toEqual([both, both]);

  await track(bob.channel, { on: 'desk', editing: 7 });
  await eventually(() => seen(ada).bob).toEqual([{ on: 'desk', editing: 7 }]);
  expect(await bob.channel.untrack()).toBe('ok');
  await eventually(() => seen(ada)).toEqual({ ada: [{ on: 'phone' }] });
  await track(bob.channel, { on: 'desk' });
  await eventually(() => seen(ada).bob).toEqual([{ on: 'desk' }]);
  await bob.client.realtime.disconnect();
  await eventually(() => seen(ada)).toEqual({ ada: [{ on: 'phone' }] });
  expect(ada.told).toEqual([
    'ada came',
    'bob came',
    'bob came',
    'bob left',
    'bob left',
    'bob came',
    'bob left',
  ]);
});

test('lists two tabs of a person under one key', async () => {
  const topic = await newTopic(backend);
  const [first, second, other] = [
    await watch(topic, { key: 'ada' }),
    await watch(topic, { key: 'ada' }),
    await watch(topic, { key: 'bob' }),
  ];
  await track(first.channel, { tab: 1 });
  await track(second.channel, { tab: 2 });
  await eventually(() => seen(other)).toEqual({ ada: [{ tab: 1 }, { tab: 2 }] });
  await first.client.removeChannel(first.channel);
  await eventually(() => seen(other)).toEqual({ ada: [{ tab: 2 }] });
});

test('sends no event for unchanged data, and separates keys of any kind', async () => {
  const topic = await newTopic(backend);
  const ada = await watch(topic, { key: '__proto__' });
  const bob = await watch(topic, { key: 'bob' });
  await track(ada.channel, { on: 'phone' });
  await track(ada.channel, { on: 'phone' });
  await track(bob.channel, { on: 'desk' });
  await eventually(() => bob.told).toEqual(['__proto__ came', 'bob came']);
});

test('sends no presence to clients without a listener, which can still track', async () => {
  const topic = await newTopic(backend);
  const plain = await join(open(), topic, { presence: { key: 'plain' } });
  const ada = await watch(topic, { key: 'ada' });
  await track(plain.channel, { on: 'phone' });
  await eventually(() => seen(ada)).toEqual({ plain: [{ on: 'phone' }] });
});

test('has separate permissions to see and to be seen in a private channel', async () => {
  const topic = await newTopic(backend, 'hear', 'see');
  const looker = await watch(topic, { key: 'looker', private: true });
  expect(await looker.channel.track({ on: 'phone' })).toBe('error');
  await allow(backend, topic, ['show']);
  const shown = await watch(topic, { key: 'shown', private: true });
  await track(shown.channel, { on: 'desk' });
  await eventually(() => seen(looker)).toEqual({ shown: [{ on: 'desk' }] });

  const blind = await newTopic(backend, 'hear', 'show');
  const [one, two] = [
    await watch(blind, { key: 'one', private: true }),
    await watch(blind, { key: 'two', private: true }),
  ];
  await track(one.channel, {});
  await track(two.channel, {});
  expect([seen(one), seen(two)]).toEqual([{}, {}]);
});

test('ends a channel after more than five calls in half a minute', async () => {
  const ada = await watch(await newTopic(backend), { key: 'ada' });
  for (const n of [1, 2, 3, 4, 5]) await track(ada.channel, { n });
  ada.channel.track({ n: 6 });
  await eventually(() => ada.statuses.at(-1)?.status).toBe('CLOSED');
  expect(ada.notices.map(({ message }) => message)).toEqual(['Client presence rate limit exceeded']);
});

test('limits the size of presence data', async () => {
  const ada = await watch(await newTopic(backend), { key: 'ada' });
  ada.channel.track({ text: 'x'.repeat(5000) });
  await eventually(() => ada.notices.map(({ message }) => message)).toEqual(['Track message size exceeded']);
});
