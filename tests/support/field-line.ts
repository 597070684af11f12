import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pass } from 'node:timers/promises';

/** A reporter's line to the newsroom. */
export type FieldLine = {
  /** Where it begins; stays the same whatever it leads to. */
  url: string;
  lead(to: string): void;
  /** Breaks everything that is open; nobody gets through until it is mended. */
  cut(): void;
  mend(): void;
  /** From now on each packet up takes so long; 0: no time. */
  slow(ms: number): void;
  /** Resolves when a request has gone up whose first line begins so. */
  asked(start: string): Promise<void>;
  /** Lets the next such request through, and breaks everything when its answer comes: once. */
  loseAnswer(start: string): Promise<void>;
  close(): Promise<void>;
};

/** A line of TCP that can be cut and slowed, and that loses answers. */
export async function openFieldLine(): Promise<FieldLine> {
  const open = new Set<Socket>();
  let target = 0;
  let isCut = false;
  let delay = 0;
  let waiting: { start: string; isLost: boolean; tell: () => void }[] = [];

  function breakAll(): void {
    for (const socket of open) socket.destroy();
  }

  /** Those who wait for what begins here. */
  function taken(piece: Buffer) {
    const text = piece.toString('latin1');
    const found = waiting.filter(({ start }) => text.includes(start));
    waiting = waiting.filter((one) => !found.includes(one));
    for (const { isLost, tell } of found) if (!isLost) tell();
    return found.filter(({ isLost }) => isLost);
  }

  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(target, '127.0.0.1');
    let lost: ReturnType<typeof taken> = [];
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
      for (const { tell } of lost) tell();
    });
    (async () => {
      for await (const piece of near as AsyncIterable<Buffer>) {
        if (delay > 0) await pass(delay * Math.ceil(piece.length / 1400));
        lost = [...lost, ...taken(piece)];
        far.write(piece);
      }
      far.end();
    })().catch(end);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const wait = (start: string, isLost: boolean) =>
    new Promise<void>((tell) => {
      waiting.push({ start, isLost, tell });
    });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lead(to) {
      target = Number(new URL(to).port);
    },
    cut() {
      isCut = true;
      breakAll();
    },
    mend() {
      isCut = false;
    },
    slow(ms) {
      delay = ms;
    },
    asked: (start) => wait(start, false),
    loseAnswer: (start) => wait(start, true),
    async close() {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
}
