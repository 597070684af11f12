import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Payload of a TCP segment in bytes. */
export const SEGMENT = 1460;
/** Bytes that a server may send before an acknowledgement: ten segments (RFC 6928). */
export const FIRST_WINDOW = 10 * SEGMENT;
/** Maximum of bytes in flight, and of bytes in the send buffer. */
const LARGEST_WINDOW = 256 * 1024;

/** One direction of a link, which all connections share. */
export type LinkDirection = {
  bytesPerSecond: number;
  /** When the last segment has left, in ms of `performance.now()`. */
  freeAt: number;
};

export type OnArrival = (bytes: number, flight: number) => void;

/** Marks the end of a stream. */
const END = Buffer.alloc(0);

type Piece = { bytes: Buffer; at: number; flight: number; arrived: OnArrival };

type DirectionOptions = {
  from: Socket;
  to: Socket;
  lane: LinkDirection;
  /** Half a round trip, in ms. */
  delay: number;
  /** Earliest time of the first byte, after the handshake, in ms of `performance.now()`. */
  opensAt: number;
  /** Called when a segment leaves. Returns a function to call when it arrives. */
  leaving(piece: Buffer, flight: number): OnArrival;
};

/**
 * Simulates one direction of a TCP connection without loss. It starts with ten segments. Each acknowledged segment
 * permits two more, so that every round trip carries twice as much. A flight is the bytes that leave before any of them
 * is acknowledged. The number of a flight therefore counts round trips.
 */
export function openDirection({ from, to, lane, delay, opensAt, leaving }: DirectionOptions): {
  stop(): void;
} {
  const waiting: Buffer[] = [];
  const onTheWay: Piece[] = [];
  let bufferedBytes = 0;
  let window = FIRST_WINDOW;
  let inFlight = 0;
  let acknowledged = 0;
  let opening = false;
  let uploading: NodeJS.Timeout | undefined;
  const timers = new Set<NodeJS.Timeout>();

  from.on('data', (bytes: Buffer) => {
    for (let at = 0; at < bytes.length; at += SEGMENT) waiting.push(bytes.subarray(at, at + SEGMENT));
    bufferedBytes += bytes.length;
    if (bufferedBytes > LARGEST_WINDOW) from.pause();
    send();
  });
  from.on('end', () => {
    waiting.push(END);
    send();
  });

  function send(): void {
    const closed = opensAt - performance.now();
    if (closed > 0) {
      // A timer may fire a moment early. In that case this function sets another one.
      if (opening) return;
      opening = true;
      after(closed, () => {
        opening = false;
        send();
      });
      return;
    }
    for (let next = waiting[0]; next && (next === END || inFlight < window); next = waiting[0]) {
      // The last part of a window may be smaller than a segment.
      const bytes = next === END ? END : next.subarray(0, window - inFlight);
      if (bytes.length < next.length) waiting[0] = next.subarray(bytes.length);
      else waiting.shift();
      leave(bytes);
    }
    if (from.isPaused() && bufferedBytes <= LARGEST_WINDOW) from.resume();
    arrive();
  }

  function leave(bytes: Buffer): void {
    bufferedBytes -= bytes.length;
    inFlight += bytes.length;
    const flight = acknowledged + 1;
    lane.freeAt = Math.max(performance.now(), lane.freeAt) + (1000 * bytes.length) / lane.bytesPerSecond;
    const arrived = bytes === END ? () => {} : leaving(bytes, flight);
    onTheWay.push({ bytes, flight, at: lane.freeAt + delay, arrived });
  }

  /** Delivers segments that are due, and sets a timer for the next one. */
  function arrive(): void {
    clearTimeout(uploading);
    for (let next = onTheWay[0]; next && next.at <= performance.now(); next = onTheWay[0]) {
      onTheWay.shift();
      deliver(next);
    }
    const [next] = onTheWay;
    if (next) uploading = setTimeout(arrive, Math.ceil(next.at - performance.now()));
  }

  function deliver({ bytes, flight, arrived }: Piece): void {
    if (!to.writable) return;
    if (bytes === END) {
      to.end();
      return;
    }
    arrived(bytes.length, flight);
    // A segment is acknowledged only when the receiver has read it.
    to.write(bytes, () =>
      after(delay, () => {
        inFlight -= bytes.length;
        window = Math.min(LARGEST_WINDOW, window + bytes.length);
        acknowledged = Math.max(acknowledged, flight);
        send();
      }),
    );
  }

  function after(ms: number, what: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      what();
    }, ms);
    timers.add(timer);
  }

  return {
    stop() {
      clearTimeout(uploading);
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** Round trip in ms, and bytes per second up and down. */
export type NetworkProfile = { roundTrip: number; up: number; down: number };

/** One request and its response. For a socket, also everything after the handshake. */
export type Exchange = {
  /** Method, path and query, or '' if it is not HTTP. */
  request: string;
  /** Number of the connection, from 1. */
  connection: number;
  /** Bytes of TCP payload in both directions. */
  up: number;
  down: number;
  /** Bytes of the response by round trip since the request. */
  rounds: number[];
};

export type LatencyProxy = {
  /** Address of the proxy. */
  url: string;
  /** Changes the server that new connections are passed to. */
  setTarget(to: string): void;
  /** All exchanges since the start or the last reset. */
  exchanges(): Exchange[];
  /** Total bytes in both directions. */
  bytes(): { up: number; down: number };
  reset(): void;
  close(): Promise<void>;
};

/** Rate in bytes per second of a link without a limit. */
export const UNLIMITED = Number.POSITIVE_INFINITY;

/**
 * Starts a proxy between a client and a server of this machine. It delays data by a round trip and a rate. A connection
 * costs one round trip before its first byte, and sends as TCP does (see `openDirection`). The proxy does not model
 * loss, TLS, or windows that shrink on idle connections.
 */
export async function startLatencyProxy(target: string, profile: NetworkProfile): Promise<LatencyProxy> {
  let port = portOf(target);
  let exchanges: Exchange[] = [];
  let connections = 0;
  let resets = 0;
  const lanes = { up: lane(profile.up), down: lane(profile.down) };
  const open = new Set<() => void>();

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const connection = ++connections;
    const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    const delay = profile.roundTrip / 2;
    let current: Exchange | undefined;
    let generation = 0;
    let before = 0;

    function exchange(request?: string): Exchange {
      if (!current || request !== undefined || generation !== resets) {
        generation = resets;
        current = { request: request ?? '', connection, up: 0, down: 0, rounds: [] };
        exchanges.push(current);
      }
      return current;
    }
    function ask(piece: Buffer): OnArrival {
      // The head of a request starts a new exchange.
      const [, request] = /^([A-Z]+ \S+) HTTP\/1/.exec(piece.toString('latin1')) ?? [];
      exchange(request).up += piece.length;
      return () => {};
    }
    function answer(_piece: Buffer, flight: number): OnArrival {
      const mine = exchange();
      // The flight of the first segment tells how many flights came before.
      if (mine.rounds.length === 0) before = flight - 1;
      const round = flight - before - 1;
      while (mine.rounds.length <= round) mine.rounds.push(0);
      return (bytes) => {
        mine.down += bytes;
        mine.rounds[round] = (mine.rounds[round] ?? 0) + bytes;
      };
    }

    const opensAt = performance.now() + profile.roundTrip;
    const up = openDirection({ from: near, to: far, lane: lanes.up, delay, opensAt, leaving: ask });
    const down = openDirection({ from: far, to: near, lane: lanes.down, delay, opensAt: 0, leaving: answer });
    const end = () => {
      up.stop();
      down.stop();
      near.destroy();
      far.destroy();
      open.delete(end);
    };
    open.add(end);
    passBreaks(near, far, delay, end);
    passBreaks(far, near, delay, end);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setTarget(to) {
      port = portOf(to);
    },
    exchanges: () => exchanges,
    bytes: () => ({ up: sum(exchanges, 'up'), down: sum(exchanges, 'down') }),
    reset() {
      exchanges = [];
      resets += 1;
    },
    async close() {
      for (const end of open) end();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Passes a reset on to the other end, half a round trip later. */
function passBreaks(one: Socket, other: Socket, delay: number, end: () => void): void {
  let broken = false;
  one.on('error', () => {
    broken = true;
    setTimeout(() => {
      if (!other.destroyed) other.resetAndDestroy();
      end();
    }, delay);
  });
  one.on('close', () => {
    if (!broken && other.destroyed) end();
  });
}

const lane = (bytesPerSecond: number): LinkDirection => ({ bytesPerSecond, freeAt: 0 });
const portOf = (url: string) => Number(new URL(url).port);
const sum = (exchanges: Exchange[], way: 'up' | 'down') =>
  exchanges.reduce((all, exchange) => all + exchange[way], 0);
