import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { proxyUpgrade } from 'httpxy';

export type StableProxy = {
  url: string;
  /** The paths that were asked for at this door so far. */
  asked: readonly string[];
  /** From now on nobody gets through: every connection breaks. */
  disconnect(): void;
  /** From now on everybody gets through, those too who were held. */
  open(): void;
  /** From now on visits of pages wait, and all else gets through. */
  holdPages(): void;
  close(): Promise<void>;
};

/** A door before a site, of an address that stays: a browser believes that it is always the same site. */
export async function startStableProxy(target: string): Promise<StableProxy> {
  const asked: string[] = [];
  let state: 'open' | 'shut' | 'holding' = 'open';
  let release = Promise.withResolvers<void>();
  const isVisit = ({ headers }: IncomingMessage) => headers['sec-fetch-mode'] === 'navigate';
  const server = createServer(async (incoming, answer) => {
    if (state === 'holding' && isVisit(incoming)) await release.promise;
    if (state === 'shut') return void incoming.socket.destroy();
    const { method, url } = incoming;
    asked.push(url ?? '');
    // What a form is sent from is the site itself.
    const headers = { ...incoming.headers, ...(incoming.headers.origin ? { origin: target } : {}) };
    const passed = request(new URL(url ?? '/', target), { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    passed.on('error', () => incoming.socket.destroy());
    incoming.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const setState = (next: typeof state) => {
    state = next;
    release.resolve();
    release = Promise.withResolvers();
  };
  return {
    asked,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    disconnect() {
      setState('shut');
      server.closeAllConnections();
    },
    open: () => setState('open'),
    holdPages: () => setState('holding'),
    async close() {
      setState('shut');
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export type RecordingProxy = {
  url: string;
  /** The calls since the last time this was asked, as method and path with its query. */
  calls(): string[];
  /** From now on nobody is there. */
  close(): Promise<void>;
};

/** Stands between a site and its backend, passes reads, calls and sockets on, and remembers the reads and calls. */
export async function startRecordingProxy(backend: string): Promise<RecordingProxy> {
  let calls: string[] = [];
  const server = createServer(async (request, response) => {
    calls.push(`${request.method} ${request.url}`);
    const body = await buffer(request);
    const headers = new Headers(request.headers as Record<string, string>);
    for (const name of ['host', 'connection', 'content-length', 'keep-alive']) headers.delete(name);
    const answer = await fetch(`${backend}${request.url}`, {
      method: request.method,
      headers,
      body: body.length > 0 ? body : undefined,
    });
    response.writeHead(answer.status, { 'Content-Type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  const sockets = new Set<Duplex>();
  server.on('upgrade', (request, socket, head) => {
    sockets.add(socket);
    proxyUpgrade(backend, request, socket, head, { xfwd: false, changeOrigin: true }).catch(() =>
      socket.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls() {
      const past = calls;
      calls = [];
      return past;
    },
    async close() {
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

export type BufferingProxy = {
  url: string;
  /** How often a socket was asked for, which it gives nobody. */
  sockets(): number;
  close(): Promise<void>;
};

/** Lost on the way, as by proxies that mean well. */
const LOST = ['etag', 'content-length', 'transfer-encoding', 'content-encoding', 'connection', 'keep-alive'];

/**
 * A proxy of the wrong sort before a site: it holds each answer back until it has all of it, packs it anew, drops its
 * ETag, has its own mind about caching, and takes an Upgrade for an ordinary request.
 */
export async function startBufferingProxy(target: string): Promise<BufferingProxy> {
  let asked = 0;
  const server = createServer(async (incoming, answer) => {
    const { method, url } = incoming;
    const { upgrade, ...headers } = incoming.headers;
    if (upgrade) asked++;
    const body = await buffer(incoming);
    const own = { ...headers, connection: 'close', 'accept-encoding': 'identity' };
    const passed = request(new URL(url ?? '/', target), { method, headers: own }, async (response) => {
      const whole = gzipSync(await buffer(response));
      const kept = Object.entries(response.headers).filter(([name]) => !LOST.includes(name));
      answer.writeHead(response.statusCode ?? 502, {
        ...Object.fromEntries(kept),
        'cache-control': 'no-cache',
        'content-encoding': 'gzip',
      });
      answer.end(method === 'HEAD' || response.statusCode === 304 ? undefined : whole);
    });
    passed.on('error', () => incoming.socket.destroy());
    passed.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sockets: () => asked,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
