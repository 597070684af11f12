import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { clientNetwork } from 'embedded-supabase';
import { addressRange } from '../http/request.ts';
import { defaultHeaders } from '../http/security-headers.ts';
import { REFUSALS } from '../i18n/cli.ts';

type ConnectionLimits = {
  /** Connections of one client network. */
  perClient: number;
  /** Concurrent requests on one connection. */
  concurrentRequests: number;
  /** A connection without traffic in either direction during a request is closed after this time. */
  timeoutMs: number;
};

/**
 * A mobile carrier can put a town behind one address; each reader has one or two connections, and the backend takes
 * 1,000 sockets. Browsers wait for each response on a connection. The backend may be silent for up to a minute.
 */
const CONNECTION_LIMITS: ConnectionLimits = { perClient: 4_000, concurrentRequests: 16, timeoutMs: 150_000 };

/**
 * Limits the connections of each client network and the concurrent requests on one connection, and closes connections
 * without traffic. Malformed requests get an error response.
 * @param clientNetworkOf the client network of a connection; undefined when it must not be limited, such as behind a proxy
 */
export function limitConnections(
  server: Server,
  clientNetworkOf: (socket: Socket) => string | undefined,
  { perClient, concurrentRequests, timeoutMs }: ConnectionLimits = CONNECTION_LIMITS,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const connections = new Map<string, number>();
  const responses = new WeakMap<object, Set<ServerResponse>>();
  const add = (client: string, change: number) => {
    const now = (connections.get(client) ?? 0) + change;
    if (now > 0) connections.set(client, now);
    else connections.delete(client);
    return now;
  };

  server.timeout = timeoutMs;
  server.on('connection', (socket: Socket) => {
    // Determined now, because a closed socket no longer has a remote address.
    const client = socket.remoteAddress === undefined ? undefined : clientNetworkOf(socket);
    if (client === undefined) return;
    socket.once('close', () => add(client, -1));
    if (add(client, 1) > perClient) socket.destroy();
  });
  // Upgraded sockets have their own limits (proxy.ts).
  server.prependListener('upgrade', (_request: IncomingMessage, socket: Duplex) => {
    if ('setTimeout' in socket) (socket as Socket).setTimeout(0);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // The response has begun, so an error response cannot be sent any more.
    const isResponding = [...(responses.get(socket) ?? [])].some(({ headersSent }) => headersSent);
    if (!socket.writable || error.code === 'ECONNRESET' || isResponding) return void socket.destroy();
    refuseConnection(socket, ...reasonOf(error.code));
  });

  return ({ socket }, response) => {
    const pending = responses.get(socket) ?? new Set();
    responses.set(socket, pending.add(response));
    response.once('close', () => pending.delete(response));
    if (pending.size > concurrentRequests) socket.destroy();
    return pending.size <= concurrentRequests;
  };
}

/** The client network of a connection. Undefined for this machine, where an undeclared proxy may run. */
export function clientNetworkOf({ remoteAddress = '' }: Socket): string | undefined {
  const range = addressRange(remoteAddress);
  return range === undefined || range === 'loopback' ? undefined : clientNetwork(remoteAddress);
}

/** Status and sentence for Node's parser errors. */
function reasonOf(code: string | undefined): [status: number, sentence: string] {
  if (code === 'HPE_HEADER_OVERFLOW') return [431, REFUSALS.tooMuchSaid];
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return [413, REFUSALS.tooLarge];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, REFUSALS.tooSlow];
  return [400, REFUSALS.notUnderstood];
}

/** Sends an error response and closes the connection, where no response object exists. */
export function refuseConnection(socket: Duplex, status: number, sentence: string): void {
  const headers = {
    ...defaultHeaders(),
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(Buffer.byteLength(sentence)),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${sentence}`);
}

/** Close codes of WebSockets (RFC 6455, section 7.4.1). */
export const PROXY_CLOSE_CODES = { goingAway: 1001, serviceRestart: 1012 } as const;

/** A proxied socket: the connection to the backend, and its frame boundaries. */
type ProxiedSocket = { upstream: Duplex; frames: FrameTracker };

const proxiedSockets = new WeakMap<Duplex, ProxiedSocket>();

/** Time that a client has to close its side, in milliseconds. */
const CLOSE_TIMEOUT_MS = 1_000;

/**
 * Tracks the frames that are sent to a client, so that a close frame can be inserted between two of them.
 * @param upstream a new connection to the backend that nothing has read from
 */
export function trackFrames(upstream: Duplex, socket: Duplex): void {
  const frames = createFrameTracker();
  proxiedSockets.set(socket, { upstream, frames });
  upstream.on('data', frames.read);
}

/** Sends a close frame, so that the client reconnects, and then ends the socket. */
export function closeSocket(socket: Duplex, code: number): void {
  const proxied = proxiedSockets.get(socket);
  if (socket.destroyed || !proxied?.frames.isBetweenFrames()) return void socket.destroy();
  proxied.upstream.unpipe(socket);
  const frame = Buffer.from([0x88, 2, 0, 0]);
  frame.writeUInt16BE(code, 2);
  socket.end(frame);
  setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS).unref();
}

type FrameTracker = { read(chunk: Buffer): void /** Between two frames. */; isBetweenFrames(): boolean };

/** Finds the boundaries of a server's frames and ignores their content. */
export function createFrameTracker(): FrameTracker {
  /** Bytes of the current payload that are still missing. */
  let left = 0;
  /** Bytes of the current frame header: at most ten, because servers do not mask. */
  let head: number[] = [];

  function payload(): number | undefined {
    const [, length = -1] = head;
    if (length < 0) return undefined;
    const short = length & 0x7f;
    const more = short === 127 ? 8 : short === 126 ? 2 : 0;
    if (head.length < 2 + more) return undefined;
    return more === 0 ? short : head.slice(2).reduce((sum, byte) => sum * 256 + byte, 0);
  }

  return {
    read(chunk) {
      for (let at = 0; at < chunk.length; ) {
        if (left > 0) {
          const skipped = Math.min(left, chunk.length - at);
          left -= skipped;
          at += skipped;
          continue;
        }
        head.push(chunk[at++] as number);
        const length = payload();
        if (length === undefined) continue;
        left = length;
        head = [];
      }
    },
    isBetweenFrames: () => left === 0 && head.length === 0,
  };
}
