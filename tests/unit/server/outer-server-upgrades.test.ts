import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { serverBridge } from '../../../src/lib/data/server-bridge.ts';
import { close } from '../../../src/lib/server/listening.ts';
import { openPort, type ServerParts, serveRequests } from '../../../src/lib/server/outer-server.ts';
import { createBackendProxy } from '../../../src/lib/server/proxy.ts';
import { eventually } from '../../support/eventually.ts';
import { sendRaw } from '../../support/http-client.ts';
import { echo, echoed, listen, open, SITE_URL } from './outer-server-context.ts';

test('stops although an upgrade request waits', async () => {
  const listening = await openPort('127.0.0.1', 0);
  const upgrade = vi.fn();
  const parts = { site: echo('site'), backend: { ...createBackendProxy('http://127.0.0.1:9'), upgrade } };
  serveRequests(listening, Promise.resolve(parts), { siteUrl: SITE_URL, proxies: 0 });
  const arrived = once(listening.server, 'connection');
  const late = connect(Number(new URL(listening.url).port), '127.0.0.1');
  late.on('error', () => {});
  late.write('GET /realtime/v1/websocket HTTP/1.1\r\nhost: x\r\n');
  const [near] = (await arrived) as [Duplex];
  await once(near, 'data');
  const closed = close(listening);
  late.write('connection: upgrade\r\nupgrade: websocket\r\n\r\n');
  await closed;
  expect(upgrade).not.toHaveBeenCalled();
});

test("upgrades the backend's paths only", async () => {
  const backend = createServer().listen(0, '127.0.0.1');
  await once(backend, 'listening');
  onTestFinished(() => void backend.close());
  backend.on('upgrade', (request, socket) => {
    socket.end(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n${request.url}`,
    );
  });
  const address = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;
  const url = await open(Promise.resolve({ site: echo('site'), backend: createBackendProxy(address) }));
  const upgrade = async (path: string, to: string) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade, close\r\nupgrade: ${to}\r\n\r\n`);
    return text(socket);
  };
  expect(await upgrade('/realtime/v1/websocket', 'websocket')).toContain('/realtime/v1/websocket');
  // Offers without a handshake are answered as usual.
  expect(await upgrade('/live/x', 'websocket')).toMatch(/^HTTP\/1.1 200 /);
  expect(await upgrade('/live/x', 'h2c')).toMatch(/^HTTP\/1.1 200 /);
  // Paths that would lead elsewhere are refused.
  for (const path of ['/realtime/v1/../../health', '/storage/v1/%2e%2e/x', '/storage/v1/..\\..\\backup']) {
    expect(await upgrade(path, 'websocket'), path).toMatch(/^HTTP\/1.1 400 /);
    expect(await upgrade(path, 'h2c'), path).toMatch(/^HTTP\/1.1 400 /);
  }
});

test('counts open sockets only', async () => {
  const backend = createServer().listen(0, '127.0.0.1');
  await once(backend, 'listening');
  onTestFinished(() => void backend.close());
  backend.on('upgrade', (_request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n');
    socket.on('end', () => socket.end()).on('error', () => socket.destroy());
    socket.resume();
  });
  const address = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;
  const url = await open(Promise.resolve({ site: echo('site'), backend: createBackendProxy(address) }));
  const upgrade = async (path: string) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`);
    await once(socket, 'data');
    return socket;
  };
  const first = await upgrade('/realtime/v1/websocket?apikey=x');
  const second = await upgrade('/realtime/v1/websocket?apikey=x');
  await upgrade('/functions/v1/x').then((socket) => socket.destroy());
  expect(serverBridge.openSockets).toBe(2);
  first.destroy();
  await eventually(() => expect(serverBridge.openSockets).toBe(1));
  second.resetAndDestroy();
  await eventually(() => expect(serverBridge.openSockets).toBe(0));
});

test("closes a socket with the backend's, also for a client that reads nothing", async () => {
  const backend = createServer().listen(0, '127.0.0.1');
  await once(backend, 'listening');
  onTestFinished(() => void backend.close());
  const piece = Buffer.alloc(64 * 1024);
  backend.on('upgrade', (request, socket) => {
    socket.on('error', () => socket.destroy());
    socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n');
    if (request.url?.endsWith('closed')) socket.end();
    const pour = () => {
      while (socket.writable && socket.write(piece));
    };
    socket.on('drain', pour);
    pour();
  });
  const address = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;
  const timeouts = {
    closed: { closing: 50, notReading: 60_000 },
    poured: { closing: 60_000, notReading: 300 },
  };
  for (const path of ['closed', 'poured'] as const) {
    const url = await open(
      Promise.resolve({
        site: echo('site'),
        backend: createBackendProxy(address, { timeouts: timeouts[path] }),
      }),
    );
    // Reads nothing, and does not close when the other side does.
    const client = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
    onTestFinished(() => void client.destroy());
    client.on('error', () => client.destroy());
    client.write(
      `GET /realtime/v1/${path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`,
    );
    await eventually(() => expect(serverBridge.openSockets).toBe(1));
    await vi.waitFor(() => expect(serverBridge.openSockets).toBe(0), 5000);
  }
});

test('stops although clients have open sockets', async () => {
  const backend = createServer().listen(0, '127.0.0.1');
  await once(backend, 'listening');
  onTestFinished(() => void backend.close());
  backend.on('upgrade', (_request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n');
    socket.on('error', () => socket.destroy());
    socket.resume();
  });
  const address = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;
  const listening = await openPort('127.0.0.1', 0);
  const parts = Promise.resolve({ site: echo('site'), backend: createBackendProxy(address) });
  serveRequests(listening, parts, { siteUrl: SITE_URL, proxies: 0 });
  const socket = connect(Number(new URL(listening.url).port), '127.0.0.1');
  socket.on('error', () => socket.destroy());
  socket.write(
    'GET /realtime/v1/websocket HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
  );
  await once(socket, 'data');
  const cut = once(socket, 'close');
  await close(listening);
  await cut;
});

describe('unusual upgrade requests', () => {
  const WEBSOCKET = 'connection: upgrade\r\nupgrade: websocket\r\n';

  /** A site whose backend opens any WebSocket and answers with its path. */
  async function openWithSockets(): Promise<string> {
    const backend = createServer(echo('backend')).listen(0, '127.0.0.1');
    await once(backend, 'listening');
    onTestFinished(() => void backend.close());
    backend.on('upgrade', (request, socket) => {
      socket.on('error', () => socket.destroy());
      socket.end(
        `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n${request.url}`,
      );
    });
    const target = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;
    return open(Promise.resolve({ site: echo('site'), backend: createBackendProxy(target) }));
  }

  it('opens a WebSocket requested by an absolute URL', async () => {
    const url = await openWithSockets();
    const target = 'http://elsewhere.example/realtime/v1/websocket?apikey=x';
    const { raw } = await sendRaw(url, `GET ${target} HTTP/1.1\r\nhost: x\r\n${WEBSOCKET}\r\n`);
    expect(raw).toMatch(/^HTTP\/1.1 101 /);
    expect(raw).toMatch(/\/realtime\/v1\/websocket\?apikey=x$/);
  });

  it.each([
    ['another protocol', 200, 'GET /realtime/v1/websocket HTTP/1.1', 'connection: upgrade\r\nupgrade: h2c'],
    [
      'two protocols',
      200,
      'GET /realtime/v1/websocket HTTP/1.1',
      'connection: upgrade\r\nupgrade: websocket, h2c',
    ],
    [
      'no Connection header',
      200,
      'GET /realtime/v1/websocket HTTP/1.1',
      'connection: close\r\nupgrade: websocket',
    ],
    ['HTTP/1.0', 200, 'GET /realtime/v1/websocket HTTP/1.0', 'connection: upgrade\r\nupgrade: websocket'],
    [
      'an unknown version',
      400,
      'GET /realtime/v1/websocket HTTP/9.9',
      'connection: upgrade\r\nupgrade: websocket',
    ],
    ['an address of nothing', 400, 'GET http:// HTTP/1.1', 'connection: upgrade\r\nupgrade: websocket'],
    ['CONNECT', 405, 'CONNECT example.com:443 HTTP/1.1', 'connection: close'],
    ['OPTIONS of the whole server', 400, 'OPTIONS * HTTP/1.1', 'connection: close'],
  ])('answers %s with %i and closes the connection', async (_name, status, line, headers) => {
    const url = await openWithSockets();
    const answer = await sendRaw(url, `${line}\r\nhost: x\r\n${headers}\r\n\r\n`);
    expect(answer.status).toBe(status);
  });

  it('answers 404 where the browser connects to the backend directly', async () => {
    const url = await open(Promise.resolve({ site: echo('site'), backend: undefined }));
    const line = 'GET /realtime/v1/websocket HTTP/1.1';
    expect((await sendRaw(url, `${line}\r\nhost: x\r\n${WEBSOCKET}\r\n`)).status).toBe(404);
  });
});

it('replaces what a visitor sends by the names of the headers for the backend', async () => {
  const backend = createBackendProxy(await listen(echo('backend')), {
    headers: { 'x-server-token': 'ours' },
  });
  const url = await open(Promise.resolve({ site: echo('site'), backend }));
  const sent = { headers: { 'X-Server-Token': 'theirs', connection: 'x-server-token' } };
  const { headers } = await echoed(`${url}/rest/v1/site`, sent);
  expect(headers['x-server-token']).toBe('ours');
});

test('survives a connection that breaks during its upgrade', async () => {
  const listening = await openPort('127.0.0.1', 0);
  const parts = Promise.withResolvers<ServerParts>();
  serveRequests(listening, parts.promise, { siteUrl: SITE_URL, proxies: 0 });
  onTestFinished(() => close(listening));
  const arrived = once(listening.server, 'upgrade') as Promise<[IncomingMessage, Duplex]>;
  const client = connect(Number(new URL(listening.url).port), '127.0.0.1');
  client.write('GET /realtime/v1 HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');
  const [, socket] = await arrived;
  const closed = new Promise((resolve) => socket.once('close', resolve));
  client.resetAndDestroy();
  await closed;
  parts.resolve({ site: echo('site'), backend: undefined });
  expect((await echoed(listening.url)).name).toBe('site');
});
