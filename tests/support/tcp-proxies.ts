import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pass } from 'node:timers/promises';

/**
 * Closes each socket when the other has closed. After an error it closes at once, otherwise when all its data is sent.
 * A busy browser may still be reading a response after the server has closed the connection.
 */
function closeTogether(one: Socket, other: Socket): void {
  for (const [closing, remaining] of [
    [one, other],
    [other, one],
  ] as const) {
    closing.on('error', () => {});
    closing.on('close', (hadError) => (hadError ? remaining.destroy() : remaining.destroySoon()));
  }
}

export type UplinkProxy = {
  /** Address of the proxy. */
  url: string;
  /** Sets the server that connections are passed to, as a URL with a port. */
  setTarget(to: string): void;
  /** Sets the upload rate of all connections together. */
  setUploadRate(bytesPerSecond: number): void;
  /** Breaks all connections after every `bytes` uploaded bytes, `times` times. */
  cutEvery(bytes: number, times: number): void;
  /** Number of breaks so far. */
  cuts(): number;
  close(): Promise<void>;
};

/** Bytes sent at once. */
const PACKET_BYTES = 1400;

/**
 * Starts a proxy like a phone connection: with a slow upload that breaks repeatedly.
 * @param first upload rate at the start, in bytes per second
 */
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

  /** Sends a client's data packet by packet. All connections share the rate. */
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
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
    }
    closeTogether(client, upstream);
    upstream.pipe(client);
    upload(client, upstream).catch(() => upstream.destroy());
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
  /** Bytes uploaded so far. */
  sent(): number;
  /** Passes this many bytes on, and then nothing until `cut`. Resolves when they are sent. */
  holdAfter(bytes: number): Promise<void>;
  /** Breaks all connections. New ones work. */
  cut(): void;
  /** Breaks all connections and refuses new ones, until `restore`. */
  disconnect(): void;
  restore(): void;
  /** Passes new connections to another server. */
  setTarget(url: string): void;
  close(): Promise<void>;
};

/** Starts a proxy whose connections the test can hold and break. */
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
    near.once('close', () => nearEnds.delete(near));
    closeTogether(near, far);
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
    // Only the client's ends are reset, so the server keeps the bytes that it has received.
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
 * `passes` forwards data. `swallows` drops all data without closing connections. `stalls` stops responses after
 * their first byte.
 */
export type FaultMode = 'passes' | 'swallows' | 'stalls';

export type FaultyProxy = {
  url: string;
  /** Applies to open connections too. Swallowed data is lost. */
  setMode(mode: FaultMode): void;
  /** Number of open sockets. */
  open(): number;
  close(): Promise<void>;
};

/** The head of an HTTP response. */
const HEAD = /^HTTP\/1\.1 [\s\S]*?\r\n\r\n/;

/** Starts a proxy on which a peer can vanish without closing its connection. */
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
        if (mode === 'passes') other.destroySoon();
      });
    }
    near.on('data', (bytes: Buffer) => {
      // The other end closed while data was swallowed.
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

/** A proxy like a reporter's mobile connection. */
export type MobileProxy = {
  /** Address of the proxy. It stays the same for all targets. */
  url: string;
  setTarget(to: string): void;
  /** Breaks all connections and refuses new ones, until `restore`. */
  cut(): void;
  restore(): void;
  /** Delays each uploaded packet. */
  setPacketDelay(ms: number): void;
  /** Resolves when a request that contains this text has been sent. */
  requested(start: string): Promise<void>;
  /** Passes on the next request that contains this text. Breaks all connections when its response arrives. */
  loseAnswer(start: string): Promise<void>;
  close(): Promise<void>;
};

/** Starts a TCP proxy that can break connections, delay packets and lose responses. */
export async function startMobileProxy(): Promise<MobileProxy> {
  const open = new Set<Socket>();
  let target = 0;
  let isCut = false;
  let delay = 0;
  let waiting: { start: string; isLost: boolean; resolve: () => void }[] = [];

  function breakAll(): void {
    for (const socket of open) socket.destroy();
  }

  /** Removes the waits that match this data. Returns those that lose the response. */
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
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
    }
    closeTogether(near, far);
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
    })().catch(() => far.destroy());
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
