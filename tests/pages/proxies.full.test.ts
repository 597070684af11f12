import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request as plainRequest } from 'node:http';
import { connect as connect2 } from 'node:http2';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { createNewsroom, type Newsroom } from '../support/newsroom.ts';
import { freePort } from '../support/processes.ts';
import {
  isInstalled,
  makeCertificate,
  PROXIES,
  type ProxyName,
  startProxy,
} from '../support/reverse-proxies.ts';
import { startSite, type TestSite } from '../support/site.ts';

/* The site behind the proxies that `deploy` has examples for, run for real with TLS. Debian packages: nginx, caddy, openssl. */
const missing = PROXIES.filter((name) => !isInstalled(name));
const testable = isInstalled('openssl') ? PROXIES.filter((name) => !missing.includes(name)) : [];

let folder: string;
let certificate: { cert: string; key: string; ca: string };
let ports: { port: number; plainPort: number };
let site: TestSite;
let newsroom: Newsroom;
let origin: string;

beforeAll(async () => {
  if (testable.length === 0) return;
  folder = await mkdtemp(join(tmpdir(), 'stoppress-proxies-'));
  certificate = await makeCertificate(folder);
  ports = { port: await freePort(), plainPort: await freePort() };
  origin = `https://localhost:${ports.port}`;
  site = await startSite({ environment: { SITE_URL: origin, STOPPRESS_PROXIES: '1' } });
  newsroom = await createNewsroom(site);
});
afterAll(async () => {
  await site?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

type RequestOptions = { method?: string; headers?: Record<string, string>; body?: Buffer | string };

/** Sends a request to the proxy and reads the whole response. */
async function ask(path: string, { method = 'GET', headers = {}, body }: RequestOptions = {}) {
  const outgoing = request(origin + path, { method, headers, ca: certificate.ca, agent: false });
  outgoing.end(body);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
}

const startProxyBefore = async (name: ProxyName, upstream = Number(new URL(site.url).port)) => {
  const proxy = await startProxy(name, { ...ports, upstream, certificate });
  onTestFinished(() => proxy.stop());
};

const form = { 'content-type': 'application/x-www-form-urlencoded' };

describe.each(PROXIES)('behind %s', (name) => {
  const isTestable = testable.includes(name);
  const skipReason = isTestable ? '' : ` (skipped: ${name} or openssl is not installed here)`;

  test.skipIf(!isTestable)(`passes pages, forms, sockets and files on unchanged${skipReason}`, async () => {
    await startProxyBefore(name);
    const page = await ask('/');
    expect(page.status).toBe(200);
    expect(page.headers['strict-transport-security']).toMatch(/^max-age=\d{7,}/);
    expect(page.text).toContain(origin);
    const packed = await ask('/', { headers: { 'accept-encoding': 'br, gzip' } });
    expect(packed.headers['content-encoding']).toBe('br');
    const session = connect2(origin, { ca: certificate.ca });
    const [head] = (await once(session.request({ ':path': '/' }).resume(), 'response')) as [
      Record<string, unknown>,
    ];
    session.close();
    expect(head[':status']).toBe(200);
    if (name === 'nginx') {
      const plain = plainRequest(`http://localhost:${ports.plainPort}/live/x?y`, { agent: false }).end();
      const [moved] = (await once(plain, 'response')) as [IncomingMessage];
      expect([moved.statusCode, moved.headers.location]).toEqual([301, `${origin}/live/x?y`]);
    }

    const { email, password } = newsroom.people.owner;
    const signIn = (from: string) =>
      ask('/sign-in', {
        method: 'POST',
        headers: { ...form, origin: from },
        body: new URLSearchParams({ email, password }).toString(),
      });
    const signedIn = await signIn(origin);
    expect(signedIn.status).toBe(303);
    const cookies = signedIn.headers['set-cookie'] ?? [];
    expect(cookies).not.toEqual([]);
    expect(cookies.filter((cookie) => !/; secure/i.test(cookie))).toEqual([]);
    expect((await signIn('https://evil.example')).status).toBe(403);

    expect((await ask('/healthz')).status).toBe(200);
    for (const path of ['/metrics', '/metrics?x', '/metrics/x']) {
      expect((await ask(path, { headers: { 'x-forwarded-for': '127.0.0.1' } })).status, path).toBe(404);
    }

    const { firstMessage } = await follow();
    const { seq } = await newsroom.publish({ headline: `By ${name}` });
    expect(await firstMessage).toMatchObject({ seq });

    await site.service.storage.createBucket('files');
    const file = randomBytes(20_000_000);
    const key = { apikey: site.secretKey, authorization: `Bearer ${site.secretKey}` };
    const path = `/storage/v1/object/files/${name}.bin`;
    const sent = await ask(path, {
      method: 'POST',
      headers: { ...key, 'content-type': 'application/octet-stream', 'content-length': String(file.length) },
      body: file,
    });
    expect(sent.status, sent.text).toBe(200);
    const fetched = request(origin + path, { headers: key, ca: certificate.ca, agent: false }).end();
    const [answer] = (await once(fetched, 'response')) as [IncomingMessage];
    expect(file.equals(await buffer(answer))).toBe(true);

    // The response to the headers alone shows that the proxy does not buffer the body.
    const large = request(`${origin}/sign-in`, {
      method: 'POST',
      headers: { ...form, origin, 'content-length': '30000000' },
      ca: certificate.ca,
      agent: false,
    });
    large.on('error', () => {});
    large.write('email=');
    const [refused] = (await once(large, 'response')) as [IncomingMessage];
    expect(refused.statusCode).toBe(413);
    large.destroy();
  });

  test.skipIf(!isTestable)(`replaces forwarding headers of clients${skipReason}`, async () => {
    const echo = createServer((incoming, answer) => void answer.end(JSON.stringify(incoming.headers)));
    echo.listen(0, '127.0.0.1');
    await once(echo, 'listening');
    onTestFinished(() => void echo.close());
    await startProxyBefore(name, (echo.address() as AddressInfo).port);
    const forged = '203.0.113.9';
    const { text: seen } = await ask('/', {
      headers: { 'x-forwarded-for': `${forged}, ${forged}`, 'x-forwarded-proto': 'http' },
    });
    expect(JSON.parse(seen)).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'https',
      host: new URL(origin).host,
    });
    echo.closeAllConnections();
  });
});

/** Follows the coverage by socket, as an open page does. `firstMessage` resolves to its first broadcast. */
async function follow(): Promise<{ firstMessage: Promise<unknown> }> {
  const address = `${origin.replace('https', 'wss')}/realtime/v1/websocket?apikey=${site.publishableKey}&vsn=1.0.0`;
  const socket = new WebSocket(address, { ca: certificate.ca });
  onTestFinished(() => socket.terminate());
  await once(socket, 'open');
  const joined = Promise.withResolvers<void>();
  const firstMessage = Promise.withResolvers<unknown>();
  socket.on('message', (data) => {
    const { event, payload } = JSON.parse(String(data));
    if (event === 'phx_reply' && payload.status === 'ok') joined.resolve();
    if (event === 'broadcast') firstMessage.resolve(payload.payload);
  });
  socket.send(
    JSON.stringify({
      topic: `realtime:coverage:${newsroom.coverage.id}`,
      event: 'phx_join',
      payload: { config: { private: true, broadcast: {}, presence: {}, postgres_changes: [] } },
      ref: '1',
      join_ref: '1',
    }),
  );
  await joined.promise;
  return { firstMessage: firstMessage.promise };
}
