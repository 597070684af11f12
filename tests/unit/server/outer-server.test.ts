import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { REFUSALS } from '../../../src/lib/i18n/cli.ts';
import { openSockets } from '../../../src/lib/publishing/follow-attributes.server.ts';
import { type ConnectedBackend, setPageEnvironment } from '../../../src/lib/server/backend.ts';
import { close, PortInUse } from '../../../src/lib/server/listening.ts';
import { openPort, type ServerParts, serveRequests } from '../../../src/lib/server/outer-server.ts';
import { createBackendProxy } from '../../../src/lib/server/proxy.ts';
import { BODY_LIMITS, MAX_FORM_BYTES } from '../../../src/lib/server/request-bodies.ts';
import { sendRaw } from '../../support/http-client.ts';

const SITE_URL = 'https://news.example';

/** Echoes the request. */
const echo =
  (name: string): RequestListener =>
  async (request, response) =>
    response.end(
      JSON.stringify({ name, url: request.url, headers: request.headers, body: await text(request) }),
    );

type Echoed = { name: string; url: string; headers: Record<string, string>; body: string };

/** Starts another server. */
async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function open(starting?: Promise<ServerParts>, proxies = 0): Promise<string> {
  const listening = await openPort('127.0.0.1', 0);
  const parts = async () => ({
    site: echo('site'),
    backend: createBackendProxy(await listen(echo('backend'))),
  });
  serveRequests(listening, starting ?? parts(), { siteUrl: SITE_URL, proxies });
  onTestFinished(() => close(listening));
  return listening.url;
}

type Sent = { method?: string; headers?: Record<string, string>; body?: string | Buffer };

/** Sends a request with any headers. */
async function send(url: string, { method = 'GET', headers = {}, body }: Sent = {}) {
  const outgoing = request(url, { method, headers: { connection: 'close', ...headers } });
  outgoing.end(body);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
}

const echoed = async (url: string, sent?: Sent) => JSON.parse((await send(url, sent)).text) as Echoed;

test('replaces what a client claims about itself and the site', async () => {
  const url = await open();
  const lies = {
    host: 'evil.example',
    forwarded: 'for=1.2.3.4',
    'x-forwarded-for': '1.2.3.4',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'ftp',
    'x-forwarded-port': '1',
    'x-original-url': '/evil',
    'x-rewrite-url': '/evil',
    'x-http-method-override': 'evil',
    'x-forwarded-prefix': '/evil',
    'x-host': 'evil.example',
    'x-real-ip': '1.2.3.4',
    'true-client-ip': '1.2.3.4',
  };
  for (const path of ['/live/x', '/rest/v1/site']) {
    const { headers } = await echoed(url + path, { headers: lies });
    expect(headers).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': 'news.example',
      'x-forwarded-proto': 'https',
    });
    expect(JSON.stringify(headers)).not.toMatch(/evil|1\.2\.3\.4/);
  }
});

test('removes cookies and origin from the form that may come from anywhere, and keeps them otherwise', async () => {
  const url = await open();
  const headers = { cookie: 'stoppress-session=x', origin: 'https://mail.example' };
  const sent = async (path: string, method = 'POST') =>
    (await echoed(url + path, { method, headers })).headers;
  for (const path of ['/unsubscribe/a-secret_1', '/unsubscribe/a-secret_1?x=1']) {
    const { cookie, origin } = await sent(path);
    expect([cookie, origin]).toEqual([undefined, SITE_URL]);
  }
  for (const path of ['/unsubscribe', '/unsubscribe/a/b', '/unsubscribe/..%2Faccount', '/account']) {
    expect(await sent(path), path).toMatchObject(headers);
  }
  expect(await sent('/unsubscribe/a-secret_1', 'PUT')).toMatchObject(headers);
});

test('uses the client address of a declared proxy', async () => {
  const headers = { 'x-forwarded-for': '6.6.6.6, 1.2.3.4' };
  expect((await echoed(await open(undefined, 1), { headers })).headers['x-forwarded-for']).toBe('1.2.3.4');
  expect((await echoed(await open(undefined, 1))).headers['x-forwarded-for']).toBe('127.0.0.1');
});

test('uses the configured host, except for forms posted to the listening address', async () => {
  const url = await open();
  const { host } = new URL(url);
  const hostOf = async (headers: Record<string, string>) =>
    (await echoed(url, { method: 'POST', headers })).headers.host;
  expect(await hostOf({ host, origin: url })).toBe(host);
  expect(
    await hostOf({ host: `localhost:${new URL(url).port}`, origin: url.replace('127.0.0.1', 'localhost') }),
  ).toMatch(/^localhost:/);
  expect(await hostOf({ host })).toBe('news.example');
  expect(await hostOf({ host: 'news.example', origin: url })).toBe('news.example');
  expect(await hostOf({ host: 'evil.example', origin: 'http://evil.example' })).toBe('news.example');
});

test.each([
  '/auth/v1/token?grant_type=password',
  '/rest/v1/updates',
  '/storage/v1/x',
  '/realtime/v1',
  '/functions/v1/x',
])('passes %s to the backend without cookies', async (path) => {
  const sent = { method: 'POST', headers: { cookie: 'session=1', apikey: 'key' }, body: 'words' };
  const got = await echoed((await open()) + path, sent);
  expect(got).toMatchObject({ name: 'backend', url: path, body: 'words' });
  expect(got.headers).toMatchObject({ apikey: 'key' });
  expect(got.headers).not.toHaveProperty('cookie');
});

test.each(['/', '/rest/v1x', '/rest/v2/updates', '/_system/keys', '/live/rest/v1'])(
  '%s is the site’s, cookies and all',
  async (path) => {
    const got = await echoed((await open()) + path, { headers: { cookie: 'session=1' } });
    expect(got).toMatchObject({ name: 'site', url: path, headers: { cookie: 'session=1' } });
  },
);

test('refuses a large form before reading it', async () => {
  const headers = { 'content-length': String(MAX_FORM_BYTES + 1) };
  const refused = await send(await open(), { method: 'POST', headers });
  expect(refused).toMatchObject({ status: 413, text: REFUSALS.tooLarge });
  expect((await send(await open(), { method: 'POST', body: Buffer.alloc(MAX_FORM_BYTES) })).status).toBe(200);
});

test('gives up an incomplete form before a page waits for it', async () => {
  const { port } = new URL(await open());
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const line = connect(Number(port), '127.0.0.1');
  const answered = text(line);
  line.write('POST /sign-in HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nemail');
  await expect.poll(() => vi.getTimerCount()).toBeGreaterThan(0);
  await vi.advanceTimersByTimeAsync(BODY_LIMITS.wholeMs + 1);
  expect(await answered).toMatch(/^HTTP\/1\.1 408 /);
});

test('sends secure headers with responses that no page has made', async () => {
  const url = await open();
  const answers = {
    'the backend': await send(`${url}/rest/v1/site`),
    'another spelling': await send(`${url}/desk/`),
    'a refusal': await send(url, { method: 'POST', headers: { 'content-length': '99999999' } }),
    TRACE: await send(url, { method: 'TRACE' }),
  };
  expect(Object.values(answers).map(({ status }) => status)).toEqual([200, 301, 413, 400]);
  for (const [what, { headers }] of Object.entries(answers)) {
    expect(headers, what).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': expect.stringMatching(/^default-src 'none'.*frame-ancestors 'none'/),
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=()'),
      'referrer-policy': 'strict-origin-when-cross-origin',
      'x-content-type-options': 'nosniff',
    });
  }
});

test('answers 503 without details while the backend is away', async () => {
  const gone = await openPort('127.0.0.1', 0);
  await close(gone);
  const url = await open(Promise.resolve({ site: echo('site'), backend: createBackendProxy(gone.url) }));
  const answer = await send(`${url}/rest/v1/updates`);
  expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '5', 'cache-control': 'no-store' } });
  expect(JSON.parse(answer.text)).toEqual({ code: 'unavailable', message: REFUSALS.unavailable });
});

test('lets early requests wait for the start', async () => {
  const parts = Promise.withResolvers<ServerParts>();
  const listening = await openPort('127.0.0.1', 0);
  serveRequests(listening, parts.promise, { siteUrl: SITE_URL, proxies: 0 });
  onTestFinished(() => close(listening));
  const arrived = once(listening.server, 'request');
  const answer = echoed(listening.url);
  await arrived;
  parts.resolve({ site: echo('site'), backend: undefined });
  expect((await answer).name).toBe('site');
});

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
  expect(openSockets.count).toBe(2);
  first.destroy();
  await vi.waitFor(() => expect(openSockets.count).toBe(1));
  second.resetAndDestroy();
  await vi.waitFor(() => expect(openSockets.count).toBe(0));
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
    await vi.waitFor(() => expect(openSockets.count).toBe(1));
    await vi.waitFor(() => expect(openSockets.count).toBe(0), 5000);
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

test('redirects other spellings of a path within the site', async () => {
  const url = await open(Promise.resolve({ site: echo('site'), backend: undefined }));
  const ask = async (path: string) => {
    const asking = request({ port: new URL(url).port, host: '127.0.0.1', path }).end();
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    answer.resume();
    return [answer.statusCode, answer.headers.location];
  };
  expect(await ask('//live/x?before=20')).toEqual([301, '/live/x?before=20']);
  expect(await ask('//rest/v1/people')).toEqual([301, '/rest/v1/people']);
  expect(await ask('//evil.example/x')).toEqual([301, '/evil.example/x']);
  expect(await ask('/\\evil.example')).toEqual([301, '/evil.example']);
  expect(await ask('/./about')).toEqual([301, '/about']);
  expect(await ask('/live/%2e%2e/about')).toEqual([301, '/about']);
  expect(await ask('/x/..//../about')).toEqual([301, '/about']);
  for (const path of [
    '/',
    '/live/x',
    '/live/x?next=//y/../z',
    '/live/%C3%BC',
    '/live/x%2Fy',
    '/.well-known/x',
  ]) {
    expect(await ask(path)).toEqual([200, undefined]);
  }
});

test('reports a port in use in one sentence', async () => {
  const first = await openPort('127.0.0.1', 0);
  onTestFinished(() => close(first));
  await expect(openPort('127.0.0.1', Number(new URL(first.url).port))).rejects.toThrow(PortInUse);
});

test('passes pages what they need, and the secret key to one module only', () => {
  const backend: ConnectedBackend = {
    url: 'http://127.0.0.1:1',
    publishableKey: 'public',
    secretKey: 'secret',
    headers: { 'x-server-token': 'token' },
    proxy: createBackendProxy('http://127.0.0.1:1'),
    backups: 7,
    stop: async () => {},
  };
  const environment = {};
  setPageEnvironment(environment, backend, { siteUrl: SITE_URL, readerSockets: 300 });
  expect(environment).toEqual({
    SITE_URL,
    PUBLIC_SUPABASE_URL: '/',
    PUBLIC_SUPABASE_PUBLISHABLE_KEY: 'public',
    STOPPRESS_BACKEND_URL: 'http://127.0.0.1:1',
    STOPPRESS_BACKEND_HEADERS: '{"x-server-token":"token"}',
    STOPPRESS_BACKUPS_KEPT: '7',
    STOPPRESS_READER_SOCKETS: '300',
    SUPABASE_SECRET_KEY: 'secret',
  });
});

test('accepts an absolute URL by its path, and refuses invalid ones', async () => {
  const url = await open();
  const ask = async (target: string) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(`GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    return text(socket);
  };
  expect(await ask('http://news.example/live/x?before=11')).toContain('"url":"/live/x?before=11"');
  expect(await ask('http://news.example/rest/v1/site')).toContain('"name":"backend"');
  for (const target of ['http://[', '*', 'ftp://news.example/x']) {
    expect(await ask(target), target).toMatch(/^HTTP\/1.1 400 /);
  }
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
    const { all } = await sendRaw(url, `GET ${target} HTTP/1.1\r\nhost: x\r\n${WEBSOCKET}\r\n`);
    expect(all).toMatch(/^HTTP\/1.1 101 /);
    expect(all).toMatch(/\/realtime\/v1\/websocket\?apikey=x$/);
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

test('answers a failing request with an error, and logs it', async () => {
  const logged = vi.spyOn(console, 'error').mockReturnValue();
  onTestFinished(() => logged.mockRestore());
  const fault = new Error('the inside');
  const site: RequestListener = (request, response) => {
    if (request.url === '/fault') throw fault;
    response.end('well');
  };
  const url = await open(Promise.resolve({ site, backend: undefined }));
  const answer = await send(`${url}/fault`);
  const id = String(answer.headers['x-request-id']);
  expect(id).toMatch(/^[0-9a-z]{12}$/);
  expect(answer).toMatchObject({ status: 500, text: REFUSALS.withId(REFUSALS.internal, id) });
  expect(logged).toHaveBeenCalledWith(expect.stringMatching(`${id}[^]*Error: the inside`));
  expect((await send(url)).text).toBe('well');
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

test('keeps connections longer than the interval of checks', async () => {
  const url = await open();
  const { headers } = await send(`${url}/`, { headers: { connection: 'keep-alive' } });
  expect(headers['keep-alive']).toBe('timeout=75');
});

test('answers from the cache before it reads the request', async () => {
  const listening = await openPort('127.0.0.1', 0);
  const serveStored: ServerParts['serveStored'] = (request, response) => {
    if (request.url === '/kept') response.end('kept');
    return request.url === '/kept';
  };
  serveRequests(listening, Promise.resolve({ serveStored, site: echo('site'), backend: undefined }), {
    siteUrl: SITE_URL,
    proxies: 0,
  });
  onTestFinished(() => close(listening));
  await vi.waitFor(async () => expect((await send(`${listening.url}/kept`)).text).toBe('kept'));
  expect(await echoed(`${listening.url}/other`)).toMatchObject({ name: 'site', url: '/other' });
});
