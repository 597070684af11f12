import type { Socket } from 'node:net';

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

type Given = {
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
export function openWay({ from, to, lane, delay, opensAt, leaving }: Given): { stop(): void } {
  const waiting: Buffer[] = [];
  const onTheWay: Piece[] = [];
  let held = 0;
  let window = FIRST_WINDOW;
  let inFlight = 0;
  let acknowledged = 0;
  let opening = false;
  let arriving: NodeJS.Timeout | undefined;
  const timers = new Set<NodeJS.Timeout>();

  from.on('data', (bytes: Buffer) => {
    for (let at = 0; at < bytes.length; at += SEGMENT) waiting.push(bytes.subarray(at, at + SEGMENT));
    held += bytes.length;
    if (held > LARGEST_WINDOW) from.pause();
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
    if (from.isPaused() && held <= LARGEST_WINDOW) from.resume();
    arrive();
  }

  function leave(bytes: Buffer): void {
    held -= bytes.length;
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
      hand(next);
    }
    const [next] = onTheWay;
    if (next) arriving = setTimeout(arrive, Math.ceil(next.at - performance.now()));
  }

  function hand({ bytes, flight, arrived }: Piece): void {
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
