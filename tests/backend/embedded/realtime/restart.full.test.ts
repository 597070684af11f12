import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBackend, type TestBackend } from '../../../support/backend.ts';
import { newDataFolder, removeData } from '../../../support/data-folders.ts';
import { freePort } from '../../../support/processes.ts';
import {
  announce,
  CHANNELS,
  clientOf,
  eventually,
  join,
  newTopic,
  PUBLIC_CHANNELS,
  VERSIONS,
} from './channels.ts';

let data: string;
let environment: Record<string, string>;
let backend: TestBackend;
const start = async () => {
  backend = await startBackend({ migrations: CHANNELS, data, environment });
};
beforeAll(async () => {
  data = await newDataFolder(CHANNELS);
  environment = { ...PUBLIC_CHANNELS, EMBEDDED_SUPABASE_PORT: String(await freePort()) };
  await start();
});
afterAll(async () => {
  await backend.stop();
  await removeData(data);
});

test.each(['stop', 'kill'] as const)(
  'clients reconnect after a %s',
  async (how) => {
    const clients = VERSIONS.map((vsn) => clientOf(backend, vsn));
    const topic = await newTopic(backend, 'hear');
    const listeners = await Promise.all(clients.map((client) => join(client, topic, { private: true })));

    await backend[how]();
    const last = () => listeners.map(({ statuses }) => statuses.at(-1)?.status);
    await eventually(last).toEqual(VERSIONS.map(() => 'CHANNEL_ERROR'));
    await start();
    await eventually(last).toEqual(VERSIONS.map(() => 'SUBSCRIBED'));
    await announce(backend, topic, { n: 1 });
    for (const listener of listeners) {
      await eventually(() => listener.payloads()).toEqual([expect.objectContaining({ n: 1 })]);
    }
    await Promise.all(clients.map((client) => client.removeAllChannels()));
  },
  60_000,
);

/** Longer than any test, so that the client does not reconnect. */
const NEVER = 600_000;

test('presence after a restart is current', async () => {
  const topic = await newTopic(backend);
  const [watcher, before] = [clientOf(backend, '2.0.0', NEVER), clientOf(backend, '2.0.0', NEVER)];
  const watching = await join(watcher, topic, { presence: { enabled: true } });
  const key = { presence: { key: 'ada' } };
  const said = () =>
    Object.values(watching.channel.presenceState<{ on: string }>()).map((all) => all.map(({ on }) => on));
  await (await join(before, topic, key)).channel.track({ on: 'phone' });
  await eventually(said).toEqual([['phone']]);

  await backend.kill();
  await eventually(() => watching.statuses.at(-1)?.status).toBe('CHANNEL_ERROR');
  await start();
  const after = clientOf(backend);
  await (await join(after, topic, key)).channel.track({ on: 'desk' });
  await watcher.realtime.disconnect();
  watcher.realtime.connect();
  await eventually(() => watching.statuses.at(-1)?.status).toBe('SUBSCRIBED');
  await eventually(said).toEqual([['desk']]);
  await Promise.all([watcher, before, after].map((client) => client.removeAllChannels()));
}, 60_000);

test('requests during the start are refused or answered, and do not wait', async () => {
  await backend.stop();
  let started = false;
  const starting = start().finally(() => {
    started = true;
  });
  const answers = new Set<unknown>();
  const ask = async () => {
    while (!started) {
      const asking = fetch(`${backend.url}/health`, { signal: AbortSignal.timeout(10_000) });
      answers.add(await asking.then(({ status }) => status).catch(({ name }: Error) => name));
    }
  };
  await Promise.all([starting, ...Array.from({ length: 4 }, ask)]);
  // A TypeError means that the connection was refused.
  expect(answers).not.toContain('TimeoutError');
}, 60_000);
