import { once } from 'node:events';
import { expect } from 'vitest';
import { WebSocket } from 'ws';

type ReceivedFrame = {
  joinRef: string | null;
  ref: string | null;
  topic: string;
  event: string;
  payload: unknown;
};

/** A socket that can send any frame. It uses protocol version 2.0.0. */
export type RawSocket = {
  socket: WebSocket;
  /** Received text messages. */
  received: ReceivedFrame[];
  /** Payloads of received broadcasts. */
  broadcasts: unknown[];
  /** Sends a message of the protocol and waits for its reply. */
  ask(
    topic: string,
    event: string,
    payload?: object,
  ): Promise<{ status: string; response: Record<string, unknown> }>;
  /** Sends any frame. */
  say(frame: string | Buffer): void;
  /** Resolves with the close code, or with 1006 if there is none. */
  closed: Promise<number>;
};

type SocketAccess = { url: string; publishableKey: string; headers?: Record<string, string> };

/** Opens a socket. @param from client address. Without it, the socket counts as the server's own */
export async function rawSocket(access: SocketAccess, { from }: { from?: string } = {}): Promise<RawSocket> {
  const socket = new WebSocket(socketUrl(access, `?apikey=${access.publishableKey}&vsn=2.0.0`), {
    headers: { ...access.headers, ...(from && { 'x-forwarded-for': from }) },
  });
  const received: ReceivedFrame[] = [];
  const broadcasts: unknown[] = [];
  socket.on('message', (data, binary) => {
    if (binary) return void broadcasts.push(payloadOf(data as Buffer));
    const [joinRef, ref, topic, event, payload] = JSON.parse(String(data));
    received.push({ joinRef, ref, topic, event, payload });
  });
  const closed = once(socket, 'close').then(([code]) => code as number);
  await once(socket, 'open');
  let refs = 0;
  return {
    socket,
    received,
    broadcasts,
    closed,
    say: (frame) => socket.send(frame),
    async ask(topic, event, payload = {}) {
      const ref = String(++refs);
      socket.send(JSON.stringify([event === 'phx_join' ? ref : null, ref, topic, event, payload]));
      const reply = () =>
        received.find((message) => message.event === 'phx_reply' && message.ref === ref)?.payload;
      await expect.poll(reply, { timeout: 15_000, interval: 5 }).toBeDefined();
      return reply() as Awaited<ReturnType<RawSocket['ask']>>;
    },
  };
}

/** Returns the JSON of a binary broadcast. It follows the names and their lengths. */
function payloadOf(data: Buffer): unknown {
  const [, topic = 0, event = 0, meta = 0] = data;
  return JSON.parse(String(data.subarray(5 + topic + event + meta)));
}

export const socketUrl = ({ url }: Pick<SocketAccess, 'url'>, rest: string) =>
  `${url.replace('http', 'ws')}/realtime/v1/websocket${rest}`;
