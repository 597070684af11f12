import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { close } from '../../../src/lib/server/listening.ts';
import { openPort, type ServerParts, serveRequests } from '../../../src/lib/server/outer-server.ts';
import { createBackendProxy } from '../../../src/lib/server/proxy.ts';

export const SITE_URL = 'https://news.example';

/** Echoes the request. */
export const echo =
  (name: string): RequestListener =>
  async (request, response) =>
    response.end(
      JSON.stringify({ name, url: request.url, headers: request.headers, body: await text(request) }),
    );

type Echoed = { name: string; url: string; headers: Record<string, string>; body: string };

/** Starts another server. */
export async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function open(starting?: Promise<ServerParts>, proxies = 0): Promise<string> {
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
export async function send(url: string, { method = 'GET', headers = {}, body }: Sent = {}) {
  const outgoing = request(url, { method, headers: { connection: 'close', ...headers } });
  outgoing.end(body);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
}

export const echoed = async (url: string, sent?: Sent) => JSON.parse((await send(url, sent)).text) as Echoed;
