import { once } from 'node:events';
import { type IncomingMessage, type RequestListener, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { REFUSALS } from '../../../src/lib/i18n/cli.ts';
import { type ConnectedBackend, setPageEnvironment } from '../../../src/lib/server/backend.ts';
import { close, PortInUse } from '../../../src/lib/server/listening.ts';
import { openPort, type ServerParts, serveRequests } from '../../../src/lib/server/outer-server.ts';
import { createBackendProxy } from '../../../src/lib/server/proxy.ts';
import { BODY_LIMITS, MAX_FORM_BYTES } from '../../../src/lib/server/request-bodies.ts';
import { eventually } from '../../support/eventually.ts';
import { echo, echoed, listen, open, SITE_URL, send } from './outer-server-context.ts';

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

test.each([
  '/rest/v1/../../auth/v1/admin/users',
  '/rest/v1/%2e%2e/x',
  '/rest/v1//updates',
  '/storage/v1/x\\y',
])('refuses %s, a path of the backend in an unusual spelling', async (path) => {
  const { port } = new URL(await open());
  const asking = request({ port, host: '127.0.0.1', path }).end();
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  answer.resume();
  expect(answer.statusCode).toBe(400);
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
  await eventually(async () => expect((await send(`${listening.url}/kept`)).text).toBe('kept'));
  expect(await echoed(`${listening.url}/other`)).toMatchObject({ name: 'site', url: '/other' });
});

test('answers a call although one client has hundreds of slow ones under way', async () => {
  const held: ServerResponse[] = [];
  const backend = await listen((request, response) => {
    if (request.url?.startsWith('/functions/')) held.push(response);
    else response.end('quick');
  });
  const url = await open(Promise.resolve({ site: echo('site'), backend: createBackendProxy(backend) }));
  const slow = Array.from({ length: 300 }, () => send(`${url}/functions/v1/slow`));
  await vi.waitFor(() => expect(held).toHaveLength(300), { timeout: 10_000 });
  expect((await send(`${url}/rest/v1/rpc/publish_update`, { method: 'POST' })).text).toBe('quick');
  for (const response of held) response.end();
  await Promise.all(slow);
});

test('does not serve a client that left before the start', async () => {
  const starting = Promise.withResolvers<ServerParts>();
  const listening = await openPort('127.0.0.1', 0);
  serveRequests(listening, starting.promise, { siteUrl: SITE_URL, proxies: 0 });
  onTestFinished(() => close(listening));
  const arrived = once(listening.server, 'request');
  const leaving = request(`${listening.url}/tips`, { method: 'POST', agent: false });
  leaving.on('error', () => {});
  leaving.write('text');
  const [, response] = (await arrived) as [IncomingMessage, ServerResponse];
  leaving.destroy();
  await once(response, 'close');
  const site = vi.fn(echo('site'));
  starting.resolve({ site, backend: undefined });
  expect((await send(`${listening.url}/about`)).status).toBe(200);
  expect(site.mock.calls.map(([{ url }]) => url)).toEqual(['/about']);
});
