import { wait } from './clock.ts';
import type { Sent } from './database.ts';

type Listener = { joined(): void; left?(): void; hear(sent: Sent): void };

export type Wire = {
  /** Sends a message if there is a connection. */
  send(sent: Sent): void;
  /** Breaks the connection for some ms, with all messages in flight. */
  cut(ms: number): void;
  close(): void;
};

/** A connection that keeps the order of messages, delays them and loses some. */
export function openWire(listener: Listener, delay: () => number, loses: () => boolean): Wire {
  let line = 0;
  let isUp = false;
  let last = 0;

  async function join() {
    const mine = ++line;
    await wait(delay());
    if (mine !== line) return;
    isUp = true;
    listener.joined();
  }

  void join();
  return {
    async send(sent) {
      if (!isUp || loses()) return;
      const mine = line;
      last = Math.max(last, Date.now() + delay());
      await wait(last - Date.now());
      if (mine === line) listener.hear(sent);
    },
    async cut(ms) {
      const mine = ++line;
      isUp = false;
      listener.left?.();
      await wait(ms);
      if (mine === line) void join();
    },
    close() {
      line += 1;
      isUp = false;
    },
  };
}
