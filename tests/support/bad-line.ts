import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pass } from 'node:timers/promises';

export type BadLine = {
  /** Where it begins. */
  url: string;
  /** Where it leads: an address with a port. */
  lead(to: string): void;
  /** From now on so many bytes a second go up, all connections together. */
  speed(bytesPerSecond: number): void;
  /** From now on everything is cut whenever so many more bytes have gone up, so many times. */
  cutEvery(bytes: number, times: number): void;
  /** How often it was cut. */
  cuts(): number;
  close(): Promise<void>;
};

/** What goes up at once, in bytes: as much as a packet. */
const PIECE = 1400;

/** A telephone's line: slow upwards, and torn again and again. @param first bytes that go up in a second, to begin with */
export async function openBadLine(first: number): Promise<BadLine> {
  let rate = first;
  const open = new Set<Socket>();
  let target = 0;
  let turn: Promise<unknown> = Promise.resolve();
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
  async function goUp(from: Socket, to: Socket): Promise<void> {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length && !to.destroyed; at += PIECE) {
        const piece = chunk.subarray(at, at + PIECE);
        turn = turn.then(() => pass((1000 * piece.length) / rate));
        await turn;
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
    goUp(client, upstream).catch(end);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lead(to) {
      target = Number(new URL(to).port);
    },
    speed(bytesPerSecond) {
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
