import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What TCP puts on the line at once, in bytes, where a packet carries 1,500. */
export const SEGMENT = 1460;
/** What a server may send before it has heard anything of it: ten segments (RFC 6928). */
export const FIRST_WINDOW = 10 * SEGMENT;
/** No more than this is on its way, and no more waits to go: what a machine keeps for a connection. */
const LARGEST_WINDOW = 256 * 1024;

/** One direction of a line, which all its connections share: one piece after the other. */
export type Lane = {
  bytesPerSecond: number;
  /** When the last piece that is on it will have left, in ms of `performance.now()`. */
  freeAt: number;
};

export type Arrived = (bytes: number, flight: number) => void;

/** Stands where a side says that nothing more comes. */
const END = Buffer.alloc(0);

type Piece = { bytes: Buffer; at: number; flight: number; arrived: Arrived };

type DirectionOptions = {
  from: Socket;
  to: Socket;
  lane: Lane;
  /** Half a round trip, in ms. */
  delay: number;
  /** The first byte leaves no earlier: the handshake. */
  opensAt: number;
  /** Asked of every piece as it leaves: who is to be told when it arrives. */
  leaving(piece: Buffer, flight: number): Arrived;
};

/**
 * What goes one way through a connection, as TCP sends it where nothing is lost: ten segments at first, and for each
 * byte that is acknowledged two more, so that every round trip carries twice as much. A flight is what leaves before
 * anything of it was acknowledged: its number counts the round trips.
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
  let arriving: NodeJS.Timeout | undefined;
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
      // A timer may come a moment early: then there is another.
      if (opening) return;
      opening = true;
      after(closed, () => {
        opening = false;
        send();
      });
      return;
    }
    for (let next = waiting[0]; next && (next === END || inFlight < window); next = waiting[0]) {
      // The last of a window may be less than a segment.
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

  /** Hands over what is due, in order, and comes again for the rest. */
  function arrive(): void {
    clearTimeout(arriving);
    for (let next = onTheWay[0]; next && next.at <= performance.now(); next = onTheWay[0]) {
      onTheWay.shift();
      deliver(next);
    }
    const [next] = onTheWay;
    if (next) arriving = setTimeout(arrive, Math.ceil(next.at - performance.now()));
  }

  function deliver({ bytes, flight, arrived }: Piece): void {
    if (!to.writable) return;
    if (bytes === END) {
      to.end();
      return;
    }
    arrived(bytes.length, flight);
    // Whoever does not read acknowledges nothing.
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
      clearTimeout(arriving);
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** How a line is: a round trip in ms, and bytes a second up and down. */
export type NetworkProfile = { roundTrip: number; up: number; down: number };

/** One request over the line and what came of it; for a socket also all that follows. */
export type Exchange = {
  /** Method and path with its query, or nothing where nobody asked in HTTP. */
  request: string;
  /** Which connection carried it, counted from 1. */
  connection: number;
  /** Bytes that left the client, and bytes that reached it: what TCP carries, without its own heads. */
  up: number;
  down: number;
  /** The bytes of the answer that came in each round trip since the request left. */
  rounds: number[];
};

export type LatencyProxy = {
  /** Where it begins. */
  url: string;
  /** Leads to another server from now on, for connections to come. */
  setTarget(to: string): void;
  /** All requests since the start, or since they were last forgotten. */
  exchanges(): Exchange[];
  /** All bytes of these, both ways. */
  bytes(): { up: number; down: number };
  reset(): void;
  close(): Promise<void>;
};

/** Without bounds. */
export const UNLIMITED = Number.POSITIVE_INFINITY;

/**
 * A line with a real round trip and a real rate, between a client and a server of this machine: pieces of TCP are held
 * back for as long as they would be on their way. A connection costs a round trip before its first byte, and sends as
 * TCP does (see `openWay`). Not modelled: loss, TLS, and the window that shrinks when a connection rests.
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
    function ask(piece: Buffer): Arrived {
      // A request's head begins a new exchange.
      const [, request] = /^([A-Z]+ \S+) HTTP\/1/.exec(piece.toString('latin1')) ?? [];
      exchange(request).up += piece.length;
      return () => {};
    }
    function answer(_piece: Buffer, flight: number): Arrived {
      const mine = exchange();
      // What comes down first tells how many flights there were before.
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

/** What breaks at one end breaks at the other, half a round trip later. */
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

const lane = (bytesPerSecond: number): Lane => ({ bytesPerSecond, freeAt: 0 });
const portOf = (url: string) => Number(new URL(url).port);
const sum = (exchanges: Exchange[], way: 'up' | 'down') =>
  exchanges.reduce((all, exchange) => all + exchange[way], 0);
