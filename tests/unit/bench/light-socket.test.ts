import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { BINARY } from '../../bench/frames.ts';
import { openLightSocket } from '../../bench/light-socket.ts';

async function startEcho() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (client) =>
    client.on('message', (message, binary) => client.send(message, { binary })),
  );
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return { server, url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

test('exchanges messages with ws', async () => {
  const { url } = await startEcho();
  const received: string[] = [];
  const socket = await openLightSocket(url, {
    message: (message) => received.push(String(message)),
    lost: fail,
  });
  const texts = [0, 125, 126, 600, 65_535].map((size) => 'x'.repeat(size));
  for (const text of texts) socket.send(text);
  socket.send(Buffer.from('bytes'), BINARY);
  await expect.poll(() => received).toEqual([...texts, 'bytes']);
  socket.close();
});

test('reports a closed socket once', async () => {
  const { server, url } = await startEcho();
  const lost: string[] = [];
  await openLightSocket(url, { message: () => {}, lost: (why) => lost.push(why) });
  for (const client of server.clients) client.close();
  await expect.poll(() => server.clients.size).toBe(0);
  expect(lost).toEqual(['The server closed the socket.']);
});

test('reports the status of a refused upgrade', async () => {
  const server = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const opening = openLightSocket(`ws://127.0.0.1:${port}/`, { message: () => {}, lost: fail });
  await expect(opening).rejects.toThrow('No socket: HTTP/1.1 403 Forbidden');
});

function fail(why: string): never {
  throw new Error(why);
}
