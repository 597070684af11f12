import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * What becomes of what is said over a line: it passes; nothing of it comes through, either way, and nobody is told
 * (`swallows`); answers begin and do not go on (`stalls`).
 */
export type Manner = 'passes' | 'swallows' | 'stalls';

export type FaultyLine = {
  url: string;
  /** From now on, also for connections that are open. What was swallowed does not come back. */
  become(manner: Manner): void;
  /** Connections that are open. */
  open(): number;
  close(): Promise<void>;
};

/** The head of an answer, and a byte of what follows. */
const HEAD = /^HTTP\/1\.1 [\s\S]*?\r\n\r\n/;

/** A line to a server, on which a peer can vanish without a word. */
export async function startFaultyLine(target: string): Promise<FaultyLine> {
  const port = Number(new URL(target).port);
  const sockets = new Set<Socket>();
  let manner: Manner = 'passes';

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
        if (manner === 'passes') other.destroy();
      });
    }
    near.on('data', (bytes: Buffer) => {
      // Its other end has gone while nobody was told.
      if (manner === 'passes' && far.destroyed) near.destroy();
      else if (manner !== 'swallows') far.write(bytes);
    });
    far.on('data', (bytes: Buffer) => {
      if (manner === 'swallows' || (manner === 'stalls' && stalled)) return;
      const head = manner === 'stalls' ? HEAD.exec(bytes.toString('latin1'))?.[0] : undefined;
      stalled = head !== undefined;
      near.write(head === undefined ? bytes : bytes.subarray(0, head.length + 1));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    become(next) {
      manner = next;
    },
    open: () => sockets.size,
    async close() {
      manner = 'passes';
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
