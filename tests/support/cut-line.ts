import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type CutLine = {
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
  leadTo(url: string): void;
  close(): Promise<void>;
};

/** A line to a server that breaks when it is told to. */
export async function startCutLine(target: string): Promise<CutLine> {
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
    leadTo(url) {
      port = Number(new URL(url).port);
    },
    async close() {
      for (const near of nearEnds) near.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
