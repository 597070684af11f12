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
 * Bounds what anybody may hold of a server by connections alone: how many, how many requests at once on one of them, and
 * how long one that takes nothing. What is no HTTP is told so.
 * @param lineOf the line that counts; undefined for one that does not: a proxy's, whose visitors are all behind it
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
    // Asked for now it is remembered: of a socket that has gone it could not be told any more.
    const line = socket.remoteAddress === undefined ? undefined : lineOf(socket);
    if (line === undefined) return;
    socket.once('close', () => add(line, -1));
    if (add(line, 1) > ofOne) socket.destroy();
  });
  // What is passed on as a socket has bounds of its own.
  server.prependListener('upgrade', (_request: IncomingMessage, socket: Duplex) => {
    if ('setTimeout' in socket) (socket as Socket).setTimeout(0);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // In the middle of an answer nothing else can be said.
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

/** The line of whoever has connected; undefined for this very machine, where a proxy may stand that nobody told us of. */
export function lineOf({ remoteAddress = '' }: Socket): string | undefined {
  const line = isIP(remoteAddress) ? network(remoteAddress) : undefined;
  return line === undefined || line.startsWith('127.') || line === network('::1') ? undefined : line;
}

/** What Node gives up on, by its codes. */
function reasonOf(code: string | undefined): [status: number, sentence: string] {
  if (code === 'HPE_HEADER_OVERFLOW') return [431, REFUSALS.tooMuchSaid];
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return [413, REFUSALS.tooLarge];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, REFUSALS.tooSlow];
  return [400, REFUSALS.notUnderstood];
}

/** Answers with a sentence and closes the connection, where there is no response object to answer with. */
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

/** Why a socket is closed (RFC 6455, section 7.4.1). */
export const CLOSE = { goingAway: 1001, serviceRestart: 1012 } as const;

/** What is known of a socket that is passed on: where its upstream's bytes come from, and whether a frame is whole. */
type Passed = { upstream: Duplex; frames: Frames };

const passed = new WeakMap<Duplex, Passed>();

/** How long who is sent away may take to go. */
const LAST_WORD_MS = 1_000;

/**
 * Keeps count of the frames that are passed on to a client, so that one of our own can be put between two of them.
 * @param upstream what has just been opened: nothing of it has been read yet
 */
export function countFrames(upstream: Duplex, socket: Duplex): void {
  const frames = openFrames();
  passed.set(socket, { upstream, frames });
  upstream.on('data', frames.read);
}

/** Says to a client that its socket ends here, and why, so that it comes back by itself; then ends the socket. */
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

/** Reads no more of a server's frames than where each ends. */
export function openFrames(): Frames {
  /** Bytes of a payload that are still to come. */
  let left = 0;
  /** What has come of a head, of at most ten bytes: a server masks nothing. */
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
