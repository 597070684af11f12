import { keepAlive } from './heartbeats.ts';
import { type LightSocket, openLightSocket } from './light-socket.ts';
import { join, replyTo } from './phoenix.ts';
import { serve } from './worker.ts';

/* Thousands of sockets that listen, and the time at which the last of them has heard. */

type Task = {
  url: string;
  /** Sent with each opening of a socket. */
  headers?: Record<string, string>;
  sockets: number;
  /** Channels that each joins; none where the server knows of none. */
  channels: { topic: string; private: boolean }[];
};

export type Arrival = {
  /** When half of them had it, and the last one: in ms of the clock that all processes of a machine share. */
  half: number;
  last: number;
  /** Bytes of the message. */
  bytes: number;
};

/** Opened at the same time: what knocks at a server at once is bounded by its backlog. */
const AT_ONCE = 100;
/** Shorter is a reply; what is measured is longer. */
const SHORTEST = 400;
const LONGEST_MS = 20_000;

const crowd: LightSocket[] = [];
let lost = '';
let missing = 0;
let times: number[] = [];
let bytes = 0;
let complete = Promise.withResolvers<void>();

serve({
  /** Opens them all. Answers how long that took, in ms. */
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
  /** From now on each has yet to hear. */
  arm() {
    missing = crowd.length;
    times = [];
    complete = Promise.withResolvers();
  },
  /** Waits until all have heard. */
  async arrived(): Promise<Arrival> {
    const late = setTimeout(
      () => complete.reject(new Error(`${missing} sockets heard nothing.`)),
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
