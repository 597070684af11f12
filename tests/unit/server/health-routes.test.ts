import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createHealth, createHealthRoutes } from '../../../src/lib/server/health.ts';

it('names a wrong setting at /healthz/ready, which stays 200', async () => {
  let warning: string | undefined;
  const health = createHealth();
  health.start(async () => true);
  const answer = createHealthRoutes({
    health,
    proxies: 0,
    metricsToken: undefined,
    warning: () => warning,
    metrics: async () => ({ type: 'text/plain', text: '' }),
  });
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const ready = async () => {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/healthz/ready`);
    return [response.status, await response.json()];
  };
  expect(await ready()).toEqual([200, { ready: true }]);
  warning = 'proxy_not_declared';
  expect(await ready()).toEqual([200, { ready: true, warning: 'proxy_not_declared' }]);
});
