import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { network } from '../http/request.ts';
import { bareHeaders } from '../http/security-headers.ts';
import { REFUSALS } from '../i18n/cli.ts';
import { CONNECTIONS_OF_ONE, REQUESTS_OF_ONE, STILL_MS } from './request-bounds.ts';

type Bounds = { ofOne: number; atOnce: number; still: number };

const BOUNDS: Bounds = { ofOne: CONNECTIONS_OF_ONE, atOnce: REQUESTS_OF_ONE, still: STILL_MS };

/**
 * Limits the connections of each client network and the concurrent requests on one connection, and closes connections
 * without traffic. Malformed requests get an error response.
 * @param lineOf the client network of a connection; undefined when it must not be limited, such as behind a proxy
 */
export function boundConnections(
  server: Server,
  lineOf: (socket: Socket) => string | undefined,
  { ofOne, atOnce, still }: Bounds = BOUNDS,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const lines = new Map<string, number>();
  const underWay = new WeakMap<object, Set<ServerResponse>>();
  const add = (line: string, change: number) => {
    const now = (lines.get(line) ?? 0) + change;
    if (now > 0) lines.set(line, now);
    else lines.delete(line);
    return now;
  };

  server.timeout = still;
  server.on('connection', (socket: Socket) => {
    // Determined now, because a closed socket no longer has a remote address.
    const line = socket.remoteAddress === undefined ? undefined : lineOf(socket);
    if (line === undefined) return;
    socket.once('close', () => add(line, -1));
    if (add(line, 1) > ofOne) socket.destroy();
  });
  // Upgraded sockets have their own limits (proxy.ts).
  server.prependListener('upgrade', (_request: IncomingMessage, socket: Duplex) => {
    if ('setTimeout' in socket) (socket as Socket).setTimeout(0);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // The response has begun, so an error response cannot be sent any more.
    const isSpeaking = [...(underWay.get(socket) ?? [])].some(({ headersSent }) => headersSent);
    if (!socket.writable || error.code === 'ECONNRESET' || isSpeaking) return void socket.destroy();
    refuseConnection(socket, ...reasonOf(error.code));
  });

  return ({ socket }, response) => {
    const its = underWay.get(socket) ?? new Set();
    underWay.set(socket, its.add(response));
    response.once('close', () => its.delete(response));
    if (its.size > atOnce) socket.destroy();
    return its.size <= atOnce;
  };
}

/** The client network of a connection. Undefined for this machine, where an undeclared proxy may run. */
export function lineOf({ remoteAddress = '' }: Socket): string | undefined {
  const line = isIP(remoteAddress) ? network(remoteAddress) : undefined;
  return line === undefined || line.startsWith('127.') || line === network('::1') ? undefined : line;
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
    ...bareHeaders(),
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(Buffer.byteLength(sentence)),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${sentence}`);
}

/** Close codes of WebSockets (RFC 6455, section 7.4.1). */
export const CLOSE = { goingAway: 1001, serviceRestart: 1012 } as const;

/** A proxied socket: the connection to the backend, and its frame boundaries. */
type Passed = { upstream: Duplex; frames: Frames };

const passed = new WeakMap<Duplex, Passed>();

/** Time that a client has to close its side, in milliseconds. */
const LAST_WORD_MS = 1_000;

/**
 * Tracks the frames that are sent to a client, so that a close frame can be inserted between two of them.
 * @param upstream a new connection to the backend that nothing has read from
 */
export function countFrames(upstream: Duplex, socket: Duplex): void {
  const frames = openFrames();
  passed.set(socket, { upstream, frames });
  upstream.on('data', frames.read);
}

/** Sends a close frame, so that the client reconnects, and then ends the socket. */
export function sendAway(socket: Duplex, code: number): void {
  const known = passed.get(socket);
  if (socket.destroyed || !known?.frames.whole()) return void socket.destroy();
  known.upstream.unpipe(socket);
  const frame = Buffer.from([0x88, 2, 0, 0]);
  frame.writeUInt16BE(code, 2);
  socket.end(frame);
  setTimeout(() => socket.destroy(), LAST_WORD_MS).unref();
}

type Frames = { read(chunk: Buffer): void /** Between two frames. */; whole(): boolean };

/** Finds the boundaries of a server's frames and ignores their content. */
export function openFrames(): Frames {
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
          const taken = Math.min(left, chunk.length - at);
          left -= taken;
          at += taken;
          continue;
        }
        head.push(chunk[at++] as number);
        const length = payload();
        if (length === undefined) continue;
        left = length;
        head = [];
      }
    },
    whole: () => left === 0 && head.length === 0,
  };
}
