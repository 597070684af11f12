import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { createProxyServer, proxyUpgrade } from 'httpxy';
import { openSockets } from '../site/open-sockets.ts';
import { REFUSALS } from '../text/commands.ts';

const PATHS = /^\/(auth|rest|storage|realtime|functions)\/v1(\/|\?|$)/;

const REALTIME = /^\/realtime\/v1(\/|\?|$)/;

/** A call that takes longer has lost its backend. */
const LONGEST_CALL_MS = 60_000;

export const isForBackend = (url = '') => PATHS.test(url);

export type PassOn = {
  call(request: IncomingMessage, response: ServerResponse): Promise<void>;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
};

/** Hands what is meant for the backend on to it, as it came. Cookies stay here: they are the site's own. */
export function passOn(backendUrl: string): PassOn {
  const proxy = createProxyServer({ target: backendUrl, changeOrigin: true, proxyTimeout: LONGEST_CALL_MS });
  return {
    async call(request, response) {
      delete request.headers.cookie;
      try {
        await proxy.web(request, response);
      } catch {
        if (response.headersSent) response.destroy();
        else refuse(response);
      }
    },
    upgrade(request, socket, head) {
      delete request.headers.cookie;
      if (REALTIME.test(request.url ?? '') && !socket.destroyed) count(socket);
      proxyUpgrade(backendUrl, request, socket, head, { xfwd: false, changeOrigin: true }).catch(() =>
        socket.destroy(),
      );
    },
  };
}

function count(socket: Duplex): void {
  openSockets.count++;
  socket.once('close', () => {
    openSockets.count--;
  });
}

function refuse(response: ServerResponse): void {
  response.writeHead(503, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'retry-after': '5',
  });
  response.end(JSON.stringify({ code: 'unavailable', message: REFUSALS.unavailable }));
}
