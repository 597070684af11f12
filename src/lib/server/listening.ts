import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { SERVER } from '../i18n/cli.ts';
import { CLOSE, sendAway } from './connections.ts';
import { HEADERS_TIMEOUT_MS, KEEP_ALIVE_MS, LAST_REQUESTS_MS } from './request-bounds.ts';

export type Listening = {
  server: Server;
  /** What was passed on as a socket and is open: it is no request of the server's any more. */
  sockets: Set<Duplex>;
  /** Requests that are being answered, but for what is sent from memory at once. */
  underWay: Set<ServerResponse>;
  /** Where it listens: an origin. */
  url: string;
};

/** The port could not be had; the message is one sentence for the owner. */
export class PortTaken extends Error {
  override name = 'PortTaken';
}

/** How a server leaves. In milliseconds. */
export type Leaving = {
  /** The most that requests under way may take. */
  requests: number;
  /** How long connections that nobody uses at the moment are kept, for who is just sending something. */
  idle: number;
  /** Over what time sockets are sent away, so that they do not all come back at once. */
  sockets: number;
};

/** Nobody comes after it. */
const STOPPING: Leaving = { requests: LAST_REQUESTS_MS, idle: 0, sockets: 0 };
/** Another process has the port already, and answers whoever comes anew. */
export const HANDING_OVER: Leaving = { requests: 60_000, idle: 5_000, sockets: 5_000 };

/** Between two looks at connections that have become idle. */
const LOOK_MS = 100;
/** What waits in the kernel while the process that answers is started again. */
const BACKLOG = 4096;

/** A server that does not listen yet. @param url where it will */
export function openDoor(url: string, mayUpgrade: (request: IncomingMessage) => boolean): Listening {
  const server = createServer({
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    // Each request has its own: slow-bodies.ts.
    requestTimeout: 0,
    shouldUpgradeCallback: mayUpgrade,
  });
  const sockets = new Set<Duplex>();
  server.on('upgrade', (_request, socket) => {
    // Its head was still on its way when the port was closed: nobody would end it any more.
    if (!server.listening) return void socket.destroy();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return { server, sockets, underWay: new Set(), url };
}

/**
 * Takes the port.
 * @param place the address, or the descriptor of a port that somebody else holds
 * @throws PortTaken
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
    throw new PortTaken(SERVER.portTaken('port' in place ? place.port : Number(new URL(listening.url).port)));
  }
  if ('port' in place) {
    listening.url = originOf(place.host, (listening.server.address() as AddressInfo).port);
  }
}

/** The address of what listens there. */
export const originOf = (host: string, port: number): string =>
  new URL(`http://${host.includes(':') ? `[${host}]` : host}:${port}`).origin;

/**
 * Takes no more connections and waits for the requests under way, but not for a client that never ends. Every answer from
 * now on says that its connection ends with it; sockets are told to come back.
 */
export async function close(
  { server, sockets, underWay }: Listening,
  { requests, idle, sockets: spread }: Leaving = STOPPING,
): Promise<void> {
  const closed = once(server, 'close');
  // Not http's own, which ends idle connections at once, under whoever is just sending something.
  NetServer.prototype.close.call(server);
  const last = (response: ServerResponse) => {
    if (!response.headersSent) response.shouldKeepAlive = false;
  };
  for (const response of underWay) last(response);
  server.prependListener('request', (_request, response) => last(response));

  const code = spread > 0 ? CLOSE.serviceRestart : CLOSE.goingAway;
  const timers = [...sockets].map((socket) =>
    setTimeout(() => sendAway(socket, code), Math.random() * spread),
  );
  const from = performance.now() + idle;
  const sweep = () => {
    if (performance.now() >= from) server.closeIdleConnections();
  };
  sweep();
  const sweeping = setInterval(sweep, LOOK_MS);
  const enough = setTimeout(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
  }, requests);
  await closed;
  clearInterval(sweeping);
  clearTimeout(enough);
  for (const timer of timers) clearTimeout(timer);
  // What looks for slow clients ends with http's own.
  server.close();
}
