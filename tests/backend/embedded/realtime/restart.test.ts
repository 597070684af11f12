import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBackend, type TestBackend } from '../../../support/backend.ts';
import { newDataFolder, removeData } from '../../../support/data-template.ts';
import { freePort } from '../../../support/free-port.ts';
import { announce, CHANNELS, clientOf, eventually, join, newTopic, VERSIONS } from './house.ts';

let data: string;
let environment: Record<string, string>;
let backend: TestBackend;
const start = async () => {
  backend = await startBackend({ migrations: CHANNELS, data, environment });
};
beforeAll(async () => {
  data = await newDataFolder(CHANNELS);
  environment = { STOPPRESS_BACKEND_PORT: String(await freePort()) };
  await start();
});
afterAll(async () => {
  await backend.stop();
  await removeData(data);
});

test.each(['stop', 'kill'] as const)(
  'clients come back by themselves after a %s',
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
