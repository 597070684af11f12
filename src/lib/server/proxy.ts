import { Agent, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { requestIdHeader } from 'embedded-supabase';
import { createProxyServer, proxyUpgrade } from 'httpxy';
import { serverBridge } from '../data/server-bridge.ts';
import { REFUSALS } from '../i18n/cli.ts';
import { trackFrames } from './connections.ts';

const PATHS = /^\/(auth|rest|storage|realtime|functions)\/v1(\/|\?|$)/;

const REALTIME = /^\/realtime\/v1(\/|\?|$)/;

const STORAGE = /^\/storage\/v1\//;

/** Timeouts of a call without any traffic, and of opening a socket. In milliseconds. */
const IDLE_TIMEOUT_MS = 60_000;
const UPGRADE_TIMEOUT_MS = 10_000;
/** Grace periods before a socket is destroyed, in milliseconds. */
const TIMEOUTS = {
  /** After the backend closed its side, so that its last message is still delivered. */
  closing: 1_000,
  /** While the client reads nothing. The buffered bytes need 13 s on 2G. */
  notReading: 30_000,
};

export const isForBackend = (url = '') => PATHS.test(url);

/** Whether the body may be a file. */
export const carriesFile = (url = '') => STORAGE.test(url);

export type BackendProxy = {
  call(request: IncomingMessage, response: ServerResponse): Promise<void>;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
};

/**
 * A proxy to the backend that removes cookies, because they belong to the site.
 * @param options.headers set on every request; they replace headers of the client
 */
export function createBackendProxy(
  backendUrl: string,
  { headers, timeouts = TIMEOUTS }: { headers?: Record<string, string>; timeouts?: typeof TIMEOUTS } = {},
): BackendProxy {
  const proxy = createProxyServer({
    target: backendUrl,
    headers,
    changeOrigin: true,
    // The backend limits its clients. A limit here would let the calls of one client delay all others.
    agent: new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 64 }),
    proxyTimeout: IDLE_TIMEOUT_MS,
  });
  return {
    async call(request, response) {
      delete request.headers.cookie;
      // The server has not upgraded this request. If the backend did, nothing would read its response.
      if (request.headers.upgrade !== undefined) {
        delete request.headers.upgrade;
        request.headers.connection = 'close';
      }
      try {
        await proxy.web(request, response);
      } catch {
        if (response.headersSent) response.destroy();
        else refuse(request, response);
      }
    },
    upgrade(request, socket, head) {
      delete request.headers.cookie;
      if (REALTIME.test(request.url ?? '') && !socket.destroyed) countSocket(socket);
      const options = { headers, xfwd: false, changeOrigin: true, upgradeTimeout: UPGRADE_TIMEOUT_MS };
      proxyUpgrade(backendUrl, request, socket, head, options).then(
        (upstream) => linkSockets(upstream, socket, timeouts),
        // The backend's refusal may still be on its way to the client.
        () => destroyLater(socket, timeouts.closing),
      );
    },
  };
}

/** Closes both sides together: when the backend closes, or when the client stops reading. */
function linkSockets(upstream: Duplex, socket: Duplex, { closing, notReading }: typeof TIMEOUTS): void {
  // The client disconnected while the connection to the backend was opened.
  if (socket.destroyed) return void upstream.destroy();
  trackFrames(upstream, socket);
  let waiting: NodeJS.Timeout | undefined;
  upstream.on('pause', () => {
    waiting ??= destroyLater(socket, notReading);
  });
  upstream.on('resume', () => {
    clearTimeout(waiting);
    waiting = undefined;
  });
  upstream.once('close', () => destroyLater(socket, closing));
  socket.once('close', () => upstream.destroy());
}

const destroyLater = (socket: Duplex, ms: number) => setTimeout(() => socket.destroy(), ms).unref();

function countSocket(socket: Duplex): void {
  serverBridge.openSockets++;
  socket.once('close', () => {
    serverBridge.openSockets--;
  });
}

function refuse(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(503, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'retry-after': '5',
    ...requestIdHeader(),
    // Without this the browser uploads the rest of its file before it reads the refusal.
    ...(!request.complete && { connection: 'close' }),
  });
  response.end(JSON.stringify({ code: 'unavailable', message: REFUSALS.unavailable }));
}
