import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { createClient, type RealtimeChannel, type SupabaseClient } from '@supabase/supabase-js';
import { expect, onTestFinished } from 'vitest';
import { serviceClient, type TestBackend } from '../../../support/backend.ts';
import { test as base } from '../../../support/backend-test.ts';

/** Migrations of these tests, in which table rows define the permissions on channels. */
export const CHANNELS = resolve('tests/backend/embedded/realtime/schema');

/** The environment of a backend that allows public channels. */
export const PUBLIC_CHANNELS = { EMBEDDED_SUPABASE_PUBLIC_CHANNELS: 'on' };

/** A test on a shared backend with these migrations. */
export const test = base.extend('backendOptions', { migrations: CHANNELS, environment: PUBLIC_CHANNELS });

/** Waits for a condition. A busy machine may be slow. */
export const eventually = <Value>(value: () => Value) => expect.poll(value, { timeout: 15_000 });

type BackendAccess = Pick<TestBackend, 'url' | 'publishableKey' | 'secretKey'>;
type Right = 'hear' | 'send' | 'see' | 'show';

/** The default version of the client's protocol, and the earlier one. */
export const VERSIONS = ['2.0.0', '1.0.0'];

/** Creates a client as in a browser, with a version of the protocol. */
export const clientOf = (
  { url, publishableKey }: Pick<BackendAccess, 'url' | 'publishableKey'>,
  vsn = '2.0.0',
  reconnectAfter = 100,
): SupabaseClient =>
  createClient(url, publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false },
    // The default first retry after a second would slow tests down.
    realtime: { vsn, reconnectAfterMs: () => reconnectAfter },
  });

/** Creates a client as `clientOf` does. It leaves its channels when the test ends. */
export function passingClient(
  access: Pick<BackendAccess, 'url' | 'publishableKey'>,
  vsn?: string,
): SupabaseClient {
  const client = clientOf(access, vsn);
  onTestFinished(async () => {
    await client.removeAllChannels();
  });
  return client;
}

/** Creates a client with this token. To send another token, change `token` and call `realtime.setAuth()`. */
export async function clientWith({ url, publishableKey }: BackendAccess, token: string) {
  const shown = { token };
  const client = createClient(url, publishableKey, { accessToken: async () => shown.token });
  await client.realtime.setAuth();
  return Object.assign(shown, { client });
}

/** Returns a unique channel name. @param guests permissions that everyone gets on this channel */
export async function newTopic(access: BackendAccess, ...guests: Right[]): Promise<string> {
  const topic = `topic:${randomUUID()}`;
  if (guests.length > 0) await allow(access, topic, guests);
  return topic;
}

/** Grants a person, or everyone, a permission on a private channel. */
export async function allow(
  access: BackendAccess,
  topic: string,
  may: Right[],
  person?: string,
): Promise<void> {
  await serviceClient(access).from('guests').insert({ topic, may, person }).throwOnError();
}

type ReceivedMessage = { event: string; payload: unknown; meta?: unknown };

export type Listener = {
  channel: RealtimeChannel;
  /** All received messages. */
  messages: ReceivedMessage[];
  payloads(): unknown[];
  /** Statuses of the channel, with reasons. */
  statuses: { status: string; reason: string | undefined }[];
  /** System messages. */
  notices: Record<string, unknown>[];
};

type Config = NonNullable<Parameters<SupabaseClient['channel']>[1]>['config'];

/** Creates a channel that collects its messages. It is not joined yet. */
export function listenTo(client: SupabaseClient, topic: string, config: Config = {}): Listener {
  const channel = client.channel(topic, { config });
  const listener: Listener = {
    channel,
    messages: [],
    statuses: [],
    notices: [],
    payloads: () => listener.messages.map(({ payload }) => payload),
  };
  channel
    .on('broadcast', { event: '*' }, ({ event, payload, meta }) => {
      listener.messages.push({ event, payload, ...(meta && { meta }) });
    })
    .on('system', {}, (notice) => listener.notices.push(notice));
  return listener;
}

/** Joins a channel and waits for the result. */
export async function subscribe(listener: Listener): Promise<Listener> {
  const { channel, statuses } = listener;
  channel.subscribe((status, error) => statuses.push({ status, reason: error?.message }));
  await eventually(() => statuses).not.toEqual([]);
  return listener;
}

/** Joins a channel. @throws if it is refused */
export async function join(client: SupabaseClient, topic: string, config: Config = {}): Promise<Listener> {
  const listener = await subscribe(listenTo(client, topic, config));
  expect(listener.statuses[0]).toEqual({ status: 'SUBSCRIBED', reason: undefined });
  return listener;
}

/** Tries to join a channel. @returns its first status, with the reason of a refusal */
export async function refusalOf(client: SupabaseClient, topic: string, config: Config = {}) {
  const { channel, statuses } = await subscribe(listenTo(client, topic, config));
  await client.removeChannel(channel);
  return statuses[0];
}

/** Broadcasts from the database in one transaction. */
export const announce = (access: BackendAccess, topic: string, ...messages: object[]) =>
  serviceClient(access).rpc('announce', { topic, messages }).throwOnError();
