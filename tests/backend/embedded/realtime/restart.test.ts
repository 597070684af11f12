import { expect, onTestFinished, test } from 'vitest';
import { startBackend } from '../../../support/backend.ts';
import { newDataFolder, removeData } from '../../../support/data-template.ts';
import { freePort } from '../../../support/free-port.ts';
import { announce, CHANNELS, clientOf, eventually, join, newTopic, VERSIONS } from './house.ts';

test.each(['stop', 'kill'] as const)('clients come back by themselves after a %s', async (how) => {
  const data = await newDataFolder(CHANNELS);
  const environment = { STOPPRESS_BACKEND_PORT: String(await freePort()) };
  const start = () => startBackend({ migrations: CHANNELS, data, environment });
  let backend = await start();
  const clients = VERSIONS.map((vsn) => clientOf(backend, vsn));
  onTestFinished(async () => {
    await Promise.all(clients.map((client) => client.removeAllChannels()));
    await backend.stop();
    await removeData(data);
  });
  const topic = await newTopic(backend, 'hear');
  const listeners = await Promise.all(clients.map((client) => join(client, topic, { private: true })));

  await backend[how]();
  const statuses = (listener: (typeof listeners)[0]) => listener.statuses.map(({ status }) => status);
  await eventually(() => listeners.map(statuses)).toEqual(
    listeners.map(() => ['SUBSCRIBED', 'CHANNEL_ERROR']),
  );
  backend = await start();
  await eventually(() => listeners.map((listener) => statuses(listener).at(-1))).toEqual(
    listeners.map(() => 'SUBSCRIBED'),
  );
  await announce(backend, topic, { n: 1 });
  for (const listener of listeners) {
    await eventually(() => listener.payloads()).toEqual([expect.objectContaining({ n: 1 })]);
  }
});
