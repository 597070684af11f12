import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { SERVER } from '../i18n/cli.ts';
import { closeSocket, PROXY_CLOSE_CODES } from './connections.ts';

export type Listening = {
  server: Server;
  /** Open sockets that were passed to the backend. The HTTP server does not count them as requests. */
  sockets: Set<Duplex>;
  /** Responses in progress, without those that are sent from memory. */
  responses: Set<ServerResponse>;
  /** Origin on which it listens. */
  url: string;
};

/** The port is in use. The message is a sentence for the owner. */
export class PortInUse extends Error {
  override name = 'PortInUse';
}

/** How a server shuts down. All values in milliseconds. */
export type Shutdown = {
  /** Maximum time for requests in progress. */
  requests: number;
  /** Idle connections stay open for this time, because a client may be sending a request. */
  idle: number;
  /** Sockets are closed at random moments within this time, so that clients do not reconnect all at once. */
  sockets: number;
};

/** Time limit for the headers of a request, in milliseconds. */
const HEADERS_TIMEOUT_MS = 20_000;
/** Longer than the pause between two checks of an open page (10 to 60 s), in milliseconds. */
const KEEP_ALIVE_MS = 75_000;
/** Time for requests in progress when the server stops, in milliseconds. */
const STOP_TIMEOUT_MS = 5_000;

/** For a server without a successor. */
const STOPPING: Shutdown = { requests: STOP_TIMEOUT_MS, idle: 0, sockets: 0 };
/** For a server whose successor already accepts connections on the port. */
export const HANDOVER: Shutdown = { requests: 60_000, idle: 5_000, sockets: 5_000 };

/** Interval at which idle connections are closed, in milliseconds. */
const IDLE_CHECK_MS = 100;
/** Connections that the kernel queues while the process is restarted. */
const BACKLOG = 4096;

/** Creates a server that does not listen yet. @param url the origin on which it will listen */
export function createHttpServer(
  url: string,
  shouldUpgrade: (request: IncomingMessage) => boolean,
): Listening {
  const server = createServer({
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    // Each request has its own timeout (request-bodies.ts).
    requestTimeout: 0,
    shouldUpgradeCallback: shouldUpgrade,
  });
  const sockets = new Set<Duplex>();
  server.on('upgrade', (_request, socket) => {
    // The upgrade arrived after the port was closed; nothing else would end this socket.
    if (!server.listening) return void socket.destroy();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return { server, sockets, responses: new Set(), url };
}

/**
 * Opens the port.
 * @param place an address, or the descriptor of a port that the supervisor holds
 * @throws PortInUse
 */
export async function listen(
  listening: Listening,
  place: { host: string; port: number } | { fd: number },
): Promise<void> {
  listening.server.listen({ ...place, backlog: BACKLOG });
  try {
    await once(listening.server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new PortInUse(SERVER.portInUse('port' in place ? place.port : Number(new URL(listening.url).port)));
  }
  if ('port' in place) {
    listening.url = originOf(place.host, (listening.server.address() as AddressInfo).port);
  }
}

/** The origin of a host and port. */
export const originOf = (host: string, port: number): string =>
  new URL(`http://${host.includes(':') ? `[${host}]` : host}:${port}`).origin;

/**
 * Stops accepting connections and waits for requests in progress, up to a limit. Responses from now on close their
 * connection, and sockets receive a close frame.
 */
export async function close(
  { server, sockets, responses }: Listening,
  { requests, idle, sockets: spread }: Shutdown = STOPPING,
): Promise<void> {
  const closed = once(server, 'close');
  // `http.Server.close` would also end idle connections at once, under clients that are sending a request.
  NetServer.prototype.close.call(server);
  const last = (response: ServerResponse) => {
    if (!response.headersSent) response.shouldKeepAlive = false;
  };
  for (const response of responses) last(response);
  server.prependListener('request', (_request, response) => last(response));

  const code = spread > 0 ? PROXY_CLOSE_CODES.serviceRestart : PROXY_CLOSE_CODES.goingAway;
  const timers = [...sockets].map((socket) =>
    setTimeout(() => closeSocket(socket, code), Math.random() * spread),
  );
  const from = performance.now() + idle;
  const sweep = () => {
    if (performance.now() >= from) server.closeIdleConnections();
  };
  sweep();
  const sweeping = setInterval(sweep, IDLE_CHECK_MS);
  const timeout = setTimeout(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
  }, requests);
  await closed;
  clearInterval(sweeping);
  clearTimeout(timeout);
  for (const timer of timers) clearTimeout(timer);
  // Stops http's own timer for slow requests.
  server.close();
}
