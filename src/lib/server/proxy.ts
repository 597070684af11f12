import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { createProxyServer, proxyUpgrade } from 'httpxy';
import { requestHeader } from '../../../packages/embedded-supabase/src/log/request-id.ts';
import { REFUSALS } from '../i18n/cli.ts';
import { openSockets } from '../publishing/follow-attributes.server.ts';
import { countFrames } from './connections.ts';

const PATHS = /^\/(auth|rest|storage|realtime|functions)\/v1(\/|\?|$)/;

const REALTIME = /^\/realtime\/v1(\/|\?|$)/;

const STORAGE = /^\/storage\/v1\//;

/** A call of which nothing moves for so long has lost its backend, and so has the opening of a socket. */
const LONGEST_STILLNESS_MS = 60_000;
const LONGEST_OPENING_MS = 10_000;
/** How long sockets are borne, in milliseconds. */
const PATIENCE = {
  /** For what the backend said last before it closed one. */
  lastWord: 1_000,
  /** For who takes nothing of what is sent: they have gone without a word. 2G needs 13 s for what waits here. */
  stuck: 30_000,
};

export const isForBackend = (url = '') => PATHS.test(url);

/** Whether what is sent there may be a file. */
export const carriesFile = (url = '') => STORAGE.test(url);

export type PassOn = {
  call(request: IncomingMessage, response: ServerResponse): Promise<void>;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
};

/**
 * Hands what is meant for the backend on to it, as it came. Cookies stay here: they are the site's own.
 * @param options.headers set on every request, whatever a visitor sent by their names
 */
export function passOn(
  backendUrl: string,
  { headers, patience = PATIENCE }: { headers?: Record<string, string>; patience?: typeof PATIENCE } = {},
): PassOn {
  const proxy = createProxyServer({
    target: backendUrl,
    headers,
    changeOrigin: true,
    proxyTimeout: LONGEST_STILLNESS_MS,
  });
  return {
    async call(request, response) {
      delete request.headers.cookie;
      // The backend could take an upgrade that this server did not, and nothing would read its answer.
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
      if (REALTIME.test(request.url ?? '') && !socket.destroyed) count(socket);
      const options = { headers, xfwd: false, changeOrigin: true, upgradeTimeout: LONGEST_OPENING_MS };
      proxyUpgrade(backendUrl, request, socket, head, options).then(
        (upstream) => endWith(upstream, socket, patience),
        // A refusal in words may still be on its way.
        () => destroyLater(socket, patience.lastWord),
      );
    },
  };
}

/** A socket that the backend has closed, or whose client does not take what it is sent, is not kept open here. */
function endWith(upstream: Duplex, socket: Duplex, { lastWord, stuck }: typeof PATIENCE): void {
  // It broke while the backend's side was opened.
  if (socket.destroyed) return void upstream.destroy();
  countFrames(upstream, socket);
  let waiting: NodeJS.Timeout | undefined;
  upstream.on('pause', () => {
    waiting ??= destroyLater(socket, stuck);
  });
  upstream.on('resume', () => {
    clearTimeout(waiting);
    waiting = undefined;
  });
  upstream.once('close', () => destroyLater(socket, lastWord));
  socket.once('close', () => upstream.destroy());
}

const destroyLater = (socket: Duplex, ms: number) => setTimeout(() => socket.destroy(), ms).unref();

function count(socket: Duplex): void {
  openSockets.count++;
  socket.once('close', () => {
    openSockets.count--;
  });
}

function refuse(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(503, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'retry-after': '5',
    ...requestHeader(),
    // Else a browser sends the rest of its file, minutes perhaps, before it reads that it should try again.
    ...(!request.complete && { connection: 'close' }),
  });
  response.end(JSON.stringify({ code: 'unavailable', message: REFUSALS.unavailable }));
}
