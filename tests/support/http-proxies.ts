import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { proxyUpgrade } from 'httpxy';

export type StableProxy = {
  url: string;
  /** The paths that were requested so far. */
  asked: readonly string[];
  /** Breaks every connection, and refuses new ones. */
  disconnect(): void;
  /** Lets all requests through, also those that wait. */
  open(): void;
  /** Delays navigations. Other requests pass. */
  holdPages(): void;
  close(): Promise<void>;
};

/** Starts a proxy in front of a site. The proxy can refuse and delay requests, and its address stays the same. */
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
    // The site checks that a form comes from its own origin.
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
  /** Returns method, path and query of the requests since the last call of this method. */
  calls(): string[];
  /** Stops the proxy. Later connections fail. */
  close(): Promise<void>;
};

/** Starts a proxy between a site and its backend. It passes requests and sockets on, and records the requests. */
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
  /** Number of refused socket requests. */
  sockets(): number;
  close(): Promise<void>;
};

/** Headers that the buffering proxy drops. */
const LOST = ['etag', 'content-length', 'transfer-encoding', 'content-encoding', 'connection', 'keep-alive'];

/**
 * Starts a bad proxy. It buffers and compresses each response, drops its ETag and replaces its cache headers. It treats
 * an Upgrade as an ordinary request.
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
