import { afterAll, beforeAll, expect, test } from 'vitest';
import { anonClient, startBackend, type TestBackend } from '../../../support/backend.ts';
import { PROBE_SCHEMA } from '../probe.ts';

let backend: TestBackend;
beforeAll(async () => {
  backend = await startBackend({ migrations: PROBE_SCHEMA });
});
afterAll(() => backend.stop());

test('what one client says in a channel, the others hear', async () => {
  const [a, b] = [anonClient(backend), anonClient(backend)];
  const heard: unknown[] = [];
  const join = (client: typeof a) =>
    new Promise((resolve, reject) => {
      const channel = client.channel('room');
      channel
        .on('broadcast', { event: '*' }, (message) => heard.push(message))
        .subscribe((status, error) => (status === 'SUBSCRIBED' ? resolve(channel) : reject(error)));
    });
  const [ca] = (await Promise.all([join(a), join(b)])) as ReturnType<typeof a.channel>[];
  await ca?.send({ type: 'broadcast', event: 'said', payload: { words: 'Grüße 🌊' } });
  await expect
    .poll(() => heard)
    .toEqual([{ type: 'broadcast', event: 'said', payload: { words: 'Grüße 🌊' } }]);
  await Promise.all([a.realtime.disconnect(), b.realtime.disconnect()]);
});
