import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type Arrived, type Lane, openWay } from './slow-way.ts';

/** How a line is: a round trip in ms, and bytes a second up and down. */
export type Manner = { roundTrip: number; up: number; down: number };

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

export type SlowLine = {
  /** Where it begins. */
  url: string;
  /** Leads to another server from now on, for connections to come. */
  lead(to: string): void;
  /** All requests since the start, or since they were last forgotten. */
  exchanges(): Exchange[];
  /** All bytes of these, both ways. */
  bytes(): { up: number; down: number };
  forget(): void;
  close(): Promise<void>;
};

/** Without bounds. */
export const SWIFT = Number.POSITIVE_INFINITY;

/**
 * A line with a real round trip and a real rate, between a client and a server of this machine: pieces of TCP are held
 * back for as long as they would be on their way. A connection costs a round trip before its first byte, and sends as
 * TCP does (see `openWay`). Not modelled: loss, TLS, and the window that shrinks when a connection rests.
 */
export async function openSlowLine(target: string, manner: Manner): Promise<SlowLine> {
  let port = portOf(target);
  let exchanges: Exchange[] = [];
  let connections = 0;
  let forgotten = 0;
  const lanes = { up: lane(manner.up), down: lane(manner.down) };
  const open = new Set<() => void>();

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const connection = ++connections;
    const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    const delay = manner.roundTrip / 2;
    let current: Exchange | undefined;
    let generation = 0;
    let before = 0;

    function exchange(request?: string): Exchange {
      if (!current || request !== undefined || generation !== forgotten) {
        generation = forgotten;
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

    const opensAt = performance.now() + manner.roundTrip;
    const up = openWay({ from: near, to: far, lane: lanes.up, delay, opensAt, leaving: ask });
    const down = openWay({ from: far, to: near, lane: lanes.down, delay, opensAt: 0, leaving: answer });
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
    lead(to) {
      port = portOf(to);
    },
    exchanges: () => exchanges,
    bytes: () => ({ up: sum(exchanges, 'up'), down: sum(exchanges, 'down') }),
    forget() {
      exchanges = [];
      forgotten += 1;
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
