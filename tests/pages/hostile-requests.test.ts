import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { expect } from 'vitest';
import { cookieJar, rawRequest, sendRaw, signInWithCookies, withoutTimes } from '../support/http-client.ts';
import { test as base } from '../support/test.ts';

const HERE = 'https://news.example';
const test = base.extend('environment', { SITE_URL: HERE });
const OURS = { origin: HERE };

test('sends the security headers with every kind of response', async ({ site, newsroom, people }) => {
  await newsroom.publish({ headline: 'The river rises' });
  const live = `/live/${newsroom.coverage.slug}`;
  const script = readdirSync('dist/client/_astro').find((name) => name.endsWith('.js'));
  const cookie = [...(await signInWithCookies(site.url, people.owner, OURS)).cookies]
    .map((pair) => pair.join('='))
    .join('; ');
  const ask = (path: string, headers: string[] = [], method = 'GET') =>
    sendRaw(site.url, rawRequest(site.url, path, { method, headers }));
  const etag = (await ask(live)).headers.get('etag');
  const answers = {
    'a page': await ask(live),
    'a private page': await ask('/desk', [`Cookie: ${cookie}`]),
    'a frame': await ask(`${live}/embed`),
    'a changes response': await ask(`${live}/changes?after=0`),
    'a missing page': await ask('/nowhere'),
    'a feed': await ask(`${live}/feed.atom`),
    'a picture': await ask('/favicon.svg'),
    'a script': await ask(`/_astro/${script}`),
    'a missing script': await ask('/_astro/none.js'),
    'a worker': await ask('/sw.js'),
    JSON: await ask('/api/me'),
    'a redirect to the sign-in page': await ask('/desk'),
    'another spelling': await ask('//desk/'),
    'another method': await ask('/', [], 'PUT'),
    'another site': await ask('/sign-in', ['Origin: https://evil.example', 'Content-Length: 0'], 'POST'),
    'another site that asks for a token': await ask(
      '/api/token',
      ['Origin: https://evil.example', 'Content-Length: 0'],
      'POST',
    ),
    'invalid HTTP': await sendRaw(site.url, 'what?\r\n\r\n'),
    'an oversized head': await ask(`/${'a'.repeat(20_000)}`),
    'the backend': await ask('/rest/v1/site?select=name', [`apikey: ${site.publishableKey}`]),
    'a refusal of the backend': await ask('/storage/v1/object/public/x/y.html'),
  };
  for (const [kind, { headers }] of Object.entries(answers)) {
    expect(headers.get('x-content-type-options'), kind).toBe('nosniff');
    expect(headers.get('strict-transport-security'), kind).toBe('max-age=31536000');
    // Framing does not apply to a worker or a script.
    if (!['a script', 'a worker'].includes(kind))
      expect(headers.get('content-security-policy'), kind).toMatch(/frame-ancestors|^sandbox$/);
    for (const name of ['server', 'x-powered-by']) expect(headers.has(name), kind).toBe(false);
    if (['a script', 'a changes response'].includes(kind)) continue;
    expect(headers.get('permissions-policy'), kind).toContain('camera=()');
    expect(headers.get('cross-origin-opener-policy'), kind).toBe('same-origin');
  }
  const unchanged = await ask(live, [`If-None-Match: ${etag}`]);
  expect([unchanged.status, unchanged.headers.get('content-security-policy')]).toEqual([304, null]);
});

test('rejects ambiguous requests and closes their connection', async ({ site }) => {
  const { host } = new URL(site.url);
  const chunked = 'POST /sign-in HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n';
  const shapes: [kind: string, bytes: string, status: number][] = [
    ['a length and chunks', `${chunked}Content-Length: 4\r\n\r\n5c\r\nGPOST\r\n0\r\n\r\n`, 400],
    [
      'two lengths',
      'POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcd',
      400,
    ],
    ['a negative length', 'POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 400],
    ['a chunk without a length', `${chunked}\r\nzz\r\na=b\r\n0\r\n\r\n`, 400],
    ['a folded header', 'GET / HTTP/1.1\r\nHost: x\r\nX-A: b\r\n c\r\n\r\n', 400],
    ['bare line feeds', 'GET / HTTP/1.1\nHost: x\n\n', 400],
    ['no host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['two hosts', 'GET /desk HTTP/1.1\r\nHost: x\r\nHost: evil.example\r\n\r\n', 400],
    ['another scheme', 'GET ftp://evil.example/ HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['TRACE', 'TRACE / HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['a tunnel', `CONNECT evil.example:443 HTTP/1.1\r\nHost: ${host}\r\n\r\n`, 405],
    ['a whole address', 'GET http://evil.example/desk HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 303],
    ['seventeen requests at once', 'GET /desk HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(17), 0],
  ];
  for (const [kind, bytes, status] of shapes) {
    const answer = await sendRaw(site.url, bytes);
    expect(answer.status, kind).toBe(status);
    expect(answer.raw, kind).not.toContain('evil.example');
    if (status === 400) expect(answer.raw.match(/HTTP\/1\.1 /g), kind).toHaveLength(1);
  }
});

test('is not poisoned by unusual requests: the next reader gets the same page', async ({
  site,
  newsroom,
}) => {
  await newsroom.publish({ headline: 'The river rises' });
  const live = `/live/${newsroom.coverage.slug}`;
  const paths = [live, `${live}/1`, '/about', '/nowhere', `/live/none-${randomUUID().slice(0, 8)}`];
  const read = async (path: string) => {
    const answer = await fetch(site.url + path, { redirect: 'manual' });
    return [answer.status, answer.headers.get('location'), withoutTimes(await answer.text())];
  };
  const before = await Promise.all(paths.map(read));
  const headers = [
    'Host: evil.example',
    'X-Forwarded-Host: evil.example',
    'X-Forwarded-Proto: http',
    'X-Forwarded-Prefix: /evil.example',
    'X-Original-URL: /desk',
    'X-Rewrite-URL: /desk',
    'X-HTTP-Method-Override: DELETE',
    'Accept: evil/example',
    'Accept-Language: es',
    'Range: bytes=0-1',
    'Cookie: __Host-stoppress-session=base64-e30',
    'Content-Length: 8',
  ];
  for (const path of paths) {
    for (const query of ['', '?before=1%23&utm=evil.example', '?Before=1;before=2', '?x=evil.example']) {
      const hostile = rawRequest(site.url, path + query, {
        headers: [...headers, 'If-None-Match: "x"'],
        body: 'before=1',
      });
      expect((await sendRaw(site.url, hostile)).raw, path).not.toMatch(/evil\.example|set-cookie/i);
    }
    // A double-encoded address is not rendered.
    const doubleEncoded = await sendRaw(
      site.url,
      rawRequest(site.url, path.replace('/live', '/%256cive').replace('/about', '/%2561bout')),
    );
    expect(doubleEncoded.status).toBe(
      path.includes('nowhere') || path.startsWith('/live') || path === '/about' ? 404 : 200,
    );
  }
  expect(await Promise.all(paths.map(read))).toEqual(before);
});

test('rejects changes from other sites, and changes nothing by reading', async ({ site, people }) => {
  const jar = await signInWithCookies(site.url, people.editor, OURS);
  const me = async () => (await jar.get('/api/me', { 'sec-fetch-site': 'same-origin' })).text();
  const before = await me();
  const elsewhere: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `${HERE}.evil.example` },
    { origin: HERE, 'sec-fetch-site': 'cross-site' },
    { origin: HERE, 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
    { origin: '' },
  ];
  for (const headers of elsewhere) {
    for (const path of [
      '/auth/sign-out',
      '/account/delete',
      '/desk/new',
      '/sign-in',
      '/tips',
      '/api/token',
      '/api/push',
      '/api/device-follows',
    ]) {
      for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
        const answer = await jar.post(path, { form: 'everywhere' }, { 'content-type': type, ...headers });
        expect(answer.status, `${path} from ${JSON.stringify(headers)} as ${type}`).toBe(403);
      }
    }
  }
  expect(
    (await jar.get('/api/me', { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' })).status,
  ).toBe(403);
  expect((await jar.get('/auth/sign-out')).status).toBe(405);
  expect(await me()).toBe(before);
});

test('binds a session to this host, renews it with each sign-in, and rejects forged ones', async ({
  site,
  people,
}) => {
  const planted = await signInWithCookies(site.url, people.reader, OURS);
  const jar = cookieJar(site.url);
  for (const [name, value] of planted.cookies) jar.cookies.set(name, value);
  const { email, password } = people.editor;
  const answer = await jar.post('/sign-in', { email, password }, OURS);
  // Public pages show the account link by it. It carries nothing of the session.
  const isMarker = (cookie: string) =>
    /^signed-in=1; Max-Age=\d+; Path=\/; Secure; SameSite=Lax$/.test(cookie);
  for (const cookie of answer.headers.getSetCookie().filter((cookie) => !isMarker(cookie))) {
    expect(cookie).toMatch(/^__Host-stoppress-session/);
    expect(cookie).toMatch(/; Secure/);
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; SameSite=Lax/);
    expect(cookie).toMatch(/; Path=\/(;|$)/);
    expect(cookie).not.toMatch(/; Domain/);
  }
  expect([...jar.cookies.values()]).not.toEqual([...planted.cookies.values()]);
  // Another site of the same domain can set a cookie without the prefix; it is ignored.
  const [value = ''] = jar.cookies.values();
  const token = JSON.parse(Buffer.from(value.slice('base64-'.length), 'base64url').toString()) as Record<
    string,
    unknown
  >;
  const encode = (value: unknown) => `base64-${Buffer.from(JSON.stringify(value)).toString('base64url')}`;
  const name = '__Host-stoppress-session';
  const forged: Record<string, string>[] = [
    { 'stoppress-session': value },
    { [`${name}.1`]: value },
    { [name]: encode({ ...token, user: 5 }) },
    { [name]: encode({ ...token, access_token: 1 }) },
    { [name]: encode({ ...token, access_token: {} }) },
    { [name]: encode({ ...token, refresh_token: 'a\r\nb', expires_at: 1 }) },
    { [name]: 'base64-_____w' },
    { [name]: '%' },
    { __proto__: 'x', [`${name}.__proto__`]: 'x', constructor: 'y' },
  ];
  for (const cookies of forged) {
    const other = cookieJar(site.url);
    for (const pair of Object.entries(cookies)) other.cookies.set(...pair);
    expect((await other.get('/desk')).status, JSON.stringify(cookies).slice(0, 80)).toBe(303);
    expect(await (await other.get('/api/me')).json()).toEqual({ person: null });
  }
  expect((await jar.get('/desk')).status).toBe(200);
  const copy = cookieJar(site.url);
  for (const pair of jar.cookies) copy.cookies.set(...pair);
  await jar.post('/auth/sign-out', {}, OURS);
  expect(jar.cookies.size).toBe(0);
  expect(await (await copy.get('/api/me')).json()).toEqual({ person: null });
  expect(site.errors()).not.toMatch(/TypeError|Unhandled|supabase\/ssr/);
});
