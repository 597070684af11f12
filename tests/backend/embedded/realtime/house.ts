import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { createClient, type RealtimeChannel, type SupabaseClient } from '@supabase/supabase-js';
import { expect, onTestFinished } from 'vitest';
import { serviceClient, type TestBackend } from '../../../support/backend.ts';

/** Migrations of the tests' own: who may do what on a channel is a row of a table. */
export const CHANNELS = resolve('tests/backend/embedded/realtime/schema');

/** The environment of a backend whose channels need not be private. */
export const PUBLIC_CHANNELS = { EMBEDDED_SUPABASE_PUBLIC_CHANNELS: 'on' };

/** Waits for something to become true: a busy machine is slow, not wrong. */
export const eventually = <Value>(value: () => Value) => expect.poll(value, { timeout: 15_000 });

type Door = Pick<TestBackend, 'url' | 'publishableKey' | 'secretKey'>;
type Right = 'hear' | 'send' | 'see' | 'show';

/** What the unmodified client speaks unless it is told otherwise, and what it spoke before. */
export const VERSIONS = ['2.0.0', '1.0.0'];

/** A client as a browser has it, with a version of the protocol. */
export const clientOf = (
  { url, publishableKey }: Pick<Door, 'url' | 'publishableKey'>,
  vsn = '2.0.0',
  reconnectAfter = 100,
): SupabaseClient =>
  createClient(url, publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false },
    // Sooner than its own first try after a second, which a test would wait for.
    realtime: { vsn, reconnectAfterMs: () => reconnectAfter },
  });

/** The same, which has left its channels when the test is over. */
export function passingClient(door: Pick<Door, 'url' | 'publishableKey'>, vsn?: string): SupabaseClient {
  const client = clientOf(door, vsn);
  onTestFinished(async () => {
    await client.removeAllChannels();
  });
  return client;
}

/** A client that shows this token, and another one when `token` is changed and `realtime.setAuth()` called. */
export async function clientWith({ url, publishableKey }: Door, token: string) {
  const shown = { token };
  const client = createClient(url, publishableKey, { accessToken: async () => shown.token });
  await client.realtime.setAuth();
  return Object.assign(shown, { client });
}

/** A topic that no other test has. @param guests what everybody may do on it */
export async function newTopic(door: Door, ...guests: Right[]): Promise<string> {
  const topic = `topic:${randomUUID()}`;
  if (guests.length > 0) await allow(door, topic, guests);
  return topic;
}

/** Lets a person, or everybody, do something on a private topic. */
export async function allow(door: Door, topic: string, may: Right[], person?: string): Promise<void> {
  await serviceClient(door).from('guests').insert({ topic, may, person }).throwOnError();
}

type Heard = { event: string; payload: unknown; meta?: unknown };

export type Listener = {
  channel: RealtimeChannel;
  /** All that it has been sent. */
  heard: Heard[];
  payloads(): unknown[];
  /** What the client said of its channel, with the reason. */
  statuses: { status: string; reason: string | undefined }[];
  /** What the server said beside the messages. */
  notices: Record<string, unknown>[];
};

type Config = NonNullable<Parameters<SupabaseClient['channel']>[1]>['config'];

/** A channel that collects what it hears; not joined yet. */
export function listenTo(client: SupabaseClient, topic: string, config: Config = {}): Listener {
  const channel = client.channel(topic, { config });
  const listener: Listener = {
    channel,
    heard: [],
    statuses: [],
    notices: [],
    payloads: () => listener.heard.map(({ payload }) => payload),
  };
  channel
    .on('broadcast', { event: '*' }, ({ event, payload, meta }) => {
      listener.heard.push({ event, payload, ...(meta && { meta }) });
    })
    .on('system', {}, (notice) => listener.notices.push(notice));
  return listener;
}

/** Joins, and waits until the server has said yes or no. */
export async function subscribe(listener: Listener): Promise<Listener> {
  const { channel, statuses } = listener;
  channel.subscribe((status, error) => statuses.push({ status, reason: error?.message }));
  await eventually(() => statuses).not.toEqual([]);
  return listener;
}

/** Joins a channel. @throws when it is refused */
export async function join(client: SupabaseClient, topic: string, config: Config = {}): Promise<Listener> {
  const listener = await subscribe(listenTo(client, topic, config));
  expect(listener.statuses[0]).toEqual({ status: 'SUBSCRIBED', reason: undefined });
  return listener;
}

/** Why a channel may not be joined. */
export async function refusalOf(client: SupabaseClient, topic: string, config: Config = {}) {
  const { channel, statuses } = await subscribe(listenTo(client, topic, config));
  await client.removeChannel(channel);
  return statuses[0];
}

/** Sends by the database, in one transaction. */
export const announce = (door: Door, topic: string, ...messages: object[]) =>
  serviceClient(door).rpc('announce', { topic, messages }).throwOnError();
