import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pass } from 'node:timers/promises';

export type UplinkProxy = {
  /** Where it begins. */
  url: string;
  /** Where it leads: an address with a port. */
  setTarget(to: string): void;
  /** From now on so many bytes a second go up, all connections together. */
  setUploadRate(bytesPerSecond: number): void;
  /** From now on everything is cut whenever so many more bytes have gone up, so many times. */
  cutEvery(bytes: number, times: number): void;
  /** How often it was cut. */
  cuts(): number;
  close(): Promise<void>;
};

/** What goes up at once, in bytes: as much as a packet. */
const PACKET_BYTES = 1400;

/** A telephone's line: slow upwards, and torn again and again. @param first bytes that go up in a second, to begin with */
export async function startUplinkProxy(first: number): Promise<UplinkProxy> {
  let rate = first;
  const open = new Set<Socket>();
  let target = 0;
  let previous: Promise<unknown> = Promise.resolve();
  let sent = 0;
  let cutAt = Number.POSITIVE_INFINITY;
  let every = 0;
  let left = 0;
  let cuts = 0;

  function count(bytes: number): void {
    sent += bytes;
    if (sent < cutAt) return;
    cuts += 1;
    left -= 1;
    cutAt = left > 0 ? sent + every : Number.POSITIVE_INFINITY;
    for (const socket of open) socket.destroy();
  }

  /** Sends up what a client says, piece by piece, each after those of all others. */
  async function upload(from: Socket, to: Socket): Promise<void> {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length && !to.destroyed; at += PACKET_BYTES) {
        const piece = chunk.subarray(at, at + PACKET_BYTES);
        previous = previous.then(() => pass((1000 * piece.length) / rate));
        await previous;
        to.write(piece);
        count(piece.length);
      }
    }
    to.end();
  }

  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', end);
      socket.on('close', () => {
        open.delete(socket);
        end();
      });
    }
    upstream.pipe(client);
    upload(client, upstream).catch(end);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setTarget(to) {
      target = Number(new URL(to).port);
    },
    setUploadRate(bytesPerSecond) {
      rate = bytesPerSecond;
    },
    cutEvery(bytes, times) {
      every = bytes;
      left = times;
      cutAt = sent + bytes;
    },
    cuts: () => cuts,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

export type BreakableProxy = {
  url: string;
  /** The bytes that have gone up so far. */
  sent(): number;
  /** Carries so many more bytes up and then nothing, until it is cut. Resolves when they have gone. */
  holdAfter(bytes: number): Promise<void>;
  /** Breaks all connections. Whoever comes back gets through. */
  cut(): void;
  /** Breaks all connections and refuses new ones, as a network that is gone, until `restore`. */
  disconnect(): void;
  restore(): void;
  /** Leads to another server from now on. */
  setTarget(url: string): void;
  close(): Promise<void>;
};

/** A line to a server that breaks when it is told to. */
export async function startBreakableProxy(target: string): Promise<BreakableProxy> {
  let port = Number(new URL(target).port);
  let sent = 0;
  let holdAt = Number.POSITIVE_INFINITY;
  let onHold = () => {};
  let isConnected = true;
  const nearEnds = new Set<Socket>();
  const server = createServer((near) => {
    if (!isConnected) return void near.resetAndDestroy();
    const far = connect(port, '127.0.0.1');
    nearEnds.add(near);
    near.on('error', () => {}).once('close', () => far.destroy());
    near.once('close', () => nearEnds.delete(near));
    far.on('error', () => {}).once('close', () => near.destroy());
    far.pipe(near);
    near.on('data', (piece: Buffer) => {
      sent += piece.length;
      const holds = sent >= holdAt;
      if (holds) onHold();
      if (!far.write(piece) || holds) near.pause();
    });
    near.on('end', () => far.end());
    far.on('drain', () => {
      if (sent < holdAt) near.resume();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    holdAt = Number.POSITIVE_INFINITY;
    // Bytes that were carried already stay at the server.
    for (const near of nearEnds) near.resetAndDestroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent: () => sent,
    holdAfter(bytes) {
      holdAt = sent + bytes;
      return new Promise((resolve) => {
        onHold = resolve;
      });
    },
    cut,
    disconnect() {
      isConnected = false;
      cut();
    },
    restore() {
      isConnected = true;
    },
    setTarget(url) {
      port = Number(new URL(url).port);
    },
    async close() {
      for (const near of nearEnds) near.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * What becomes of what is said over a line: it passes; nothing of it comes through, either way, and nobody is told
 * (`swallows`); answers begin and do not go on (`stalls`).
 */
export type FaultMode = 'passes' | 'swallows' | 'stalls';

export type FaultyProxy = {
  url: string;
  /** From now on, also for connections that are open. What was swallowed does not come back. */
  setMode(mode: FaultMode): void;
  /** Connections that are open. */
  open(): number;
  close(): Promise<void>;
};

/** The head of an answer, and a byte of what follows. */
const HEAD = /^HTTP\/1\.1 [\s\S]*?\r\n\r\n/;

/** A line to a server, on which a peer can vanish without a word. */
export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const port = Number(new URL(target).port);
  const sockets = new Set<Socket>();
  let mode: FaultMode = 'passes';

  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    let stalled = false;
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        if (mode === 'passes') other.destroy();
      });
    }
    near.on('data', (bytes: Buffer) => {
      // Its other end has gone while nobody was told.
      if (mode === 'passes' && far.destroyed) near.destroy();
      else if (mode !== 'swallows') far.write(bytes);
    });
    far.on('data', (bytes: Buffer) => {
      if (mode === 'swallows' || (mode === 'stalls' && stalled)) return;
      const head = mode === 'stalls' ? HEAD.exec(bytes.toString('latin1'))?.[0] : undefined;
      stalled = head !== undefined;
      near.write(head === undefined ? bytes : bytes.subarray(0, head.length + 1));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setMode(next) {
      mode = next;
    },
    open: () => sockets.size,
    async close() {
      mode = 'passes';
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A reporter's line to the newsroom. */
export type MobileProxy = {
  /** Where it begins; stays the same whatever it leads to. */
  url: string;
  setTarget(to: string): void;
  /** Breaks everything that is open; nobody gets through until it is mended. */
  cut(): void;
  restore(): void;
  /** From now on each packet up takes so long; 0: no time. */
  setPacketDelay(ms: number): void;
  /** Resolves when a request has gone up whose first line begins so. */
  requested(start: string): Promise<void>;
  /** Lets the next such request through, and breaks everything when its answer comes: once. */
  loseAnswer(start: string): Promise<void>;
  close(): Promise<void>;
};

/** A line of TCP that can be cut and slowed, and that loses answers. */
export async function startMobileProxy(): Promise<MobileProxy> {
  const open = new Set<Socket>();
  let target = 0;
  let isCut = false;
  let delay = 0;
  let waiting: { start: string; isLost: boolean; resolve: () => void }[] = [];

  function breakAll(): void {
    for (const socket of open) socket.destroy();
  }

  /** Those who wait for what begins here. */
  function takeMatching(piece: Buffer) {
    const text = piece.toString('latin1');
    const matching = waiting.filter(({ start }) => text.includes(start));
    waiting = waiting.filter((one) => !matching.includes(one));
    for (const { isLost, resolve } of matching) if (!isLost) resolve();
    return matching.filter(({ isLost }) => isLost);
  }

  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(target, '127.0.0.1');
    let lost: ReturnType<typeof takeMatching> = [];
    const end = () => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', end).on('close', () => {
        open.delete(socket);
        end();
      });
    }
    far.on('data', (piece) => {
      if (lost.length === 0) return void near.write(piece);
      breakAll();
      for (const { resolve } of lost) resolve();
    });
    (async () => {
      for await (const piece of near as AsyncIterable<Buffer>) {
        if (delay > 0) await pass(delay * Math.ceil(piece.length / 1400));
        lost = [...lost, ...takeMatching(piece)];
        far.write(piece);
      }
      far.end();
    })().catch(end);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const wait = (start: string, isLost: boolean) =>
    new Promise<void>((resolve) => {
      waiting.push({ start, isLost, resolve: resolve });
    });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setTarget(to) {
      target = Number(new URL(to).port);
    },
    cut() {
      isCut = true;
      breakAll();
    },
    restore() {
      isCut = false;
    },
    setPacketDelay(ms) {
      delay = ms;
    },
    requested: (start) => wait(start, false),
    loseAnswer: (start) => wait(start, true),
    async close() {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
}
