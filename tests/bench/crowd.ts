import { keepAlive } from './heartbeats.ts';
import { type LightSocket, openLightSocket } from './light-socket.ts';
import { join, replyTo } from './phoenix.ts';
import { serve } from './worker.ts';

/* Thousands of listening sockets, and when the last one receives a message. */

type Task = {
  url: string;
  /** Headers of each handshake. */
  headers?: Record<string, string>;
  sockets: number;
  /** Channels that each socket joins. None for the bare server. */
  channels: { topic: string; private: boolean }[];
};

export type Arrival = {
  /** When half of the sockets, and the last one, had the message: ms of the machine's clock. */
  half: number;
  last: number;
  /** Size of the message in bytes. */
  bytes: number;
};

/** Concurrent handshakes. More would exceed the server's backlog. */
const AT_ONCE = 100;
/** Shorter messages are replies. Measured messages are longer. */
const SHORTEST = 400;
const LONGEST_MS = 20_000;

const crowd: LightSocket[] = [];
let lost = '';
let missing = 0;
let times: number[] = [];
let bytes = 0;
let complete = Promise.withResolvers<void>();

serve({
  /** Opens all sockets. @returns duration in ms */
  async open({ url, headers, sockets, channels }: Task) {
    const begun = performance.now();
    if (channels.length > 0) keepAlive(crowd);
    for (let opened = 0; opened < sockets; opened += AT_ONCE) {
      const some = Math.min(AT_ONCE, sockets - opened);
      await Promise.all(Array.from({ length: some }, () => enter(url, channels, headers)));
    }
    if (lost) throw new Error(lost);
    return performance.now() - begun;
  },
  /** Starts waiting for the next message on every socket. */
  arm() {
    missing = crowd.length;
    times = [];
    complete = Promise.withResolvers();
  },
  /** Resolves when every socket has received it. */
  async arrived(): Promise<Arrival> {
    const late = setTimeout(
      () => complete.reject(new Error(`${missing} sockets received nothing.`)),
      LONGEST_MS,
    );
    await complete.promise.finally(() => clearTimeout(late));
    if (lost) throw new Error(lost);
    const half = times[times.length >> 1] ?? Number.NaN;
    return { half, last: times.at(-1) ?? Number.NaN, bytes };
  },
});

async function enter(url: string, channels: Task['channels'], headers: Task['headers']): Promise<void> {
  const joined = Promise.withResolvers<void>();
  let next = 0;
  const handlers = {
    message(message: Buffer) {
      if (message.length >= SHORTEST) return hear(message);
      const reply = next > 0 ? replyTo(String(next), message) : undefined;
      if (!reply) return;
      if (reply.ok) advance();
      else joined.reject(new Error(reply.said));
    },
    lost(why: string) {
      lost = why;
      joined.reject(new Error(why));
    },
  };
  const socket = await openLightSocket(url, handlers, headers);
  function advance() {
    const channel = channels[next++];
    if (channel) socket.send(join(String(next), channel.topic, channel.private));
    else joined.resolve();
  }
  advance();
  await joined.promise;
  crowd.push(socket);
}

function hear(message: Buffer): void {
  times.push(Number(process.hrtime.bigint()) / 1e6);
  bytes = message.length;
  if (--missing === 0) complete.resolve();
}
