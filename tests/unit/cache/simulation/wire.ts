import { wait } from './clock.ts';
import type { Sent } from './database.ts';

type Listener = { joined(): void; left?(): void; receive(sent: Sent): void };

export type Wire = {
  /** Sends a message if there is a connection. */
  send(sent: Sent): void;
  /** Breaks the connection for some ms, with all messages in flight. */
  cut(ms: number): void;
  close(): void;
};

/** A connection that keeps the order of messages, delays them and loses some. */
export function openWire(listener: Listener, delay: () => number, loses: () => boolean): Wire {
  let connection = 0;
  let isUp = false;
  let last = 0;

  async function join() {
    const mine = ++connection;
    await wait(delay());
    if (mine !== connection) return;
    isUp = true;
    listener.joined();
  }

  void join();
  return {
    async send(sent) {
      if (!isUp || loses()) return;
      const mine = connection;
      last = Math.max(last, Date.now() + delay());
      await wait(last - Date.now());
      if (mine === connection) listener.receive(sent);
    },
    async cut(ms) {
      const mine = ++connection;
      isUp = false;
      listener.left?.();
      await wait(ms);
      if (mine === connection) void join();
    },
    close() {
      connection += 1;
      isUp = false;
    },
  };
}
