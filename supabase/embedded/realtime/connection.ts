import type { Socket } from 'node:net';
import type { RawData, WebSocket } from 'ws';
import { logFault } from '../answers.ts';
import { bucket } from '../bucket.ts';
import { counts } from '../numbers/counts.ts';
import type { KeyHolder } from './access.ts';
import type { Channel } from './channel.ts';
import type { Client } from './client.ts';
import type { Hall } from './hall.ts';
import { inOrder } from './in-order.ts';
import { join } from './join.ts';
import { BACKLOG_BYTES, CHANNELS_PER_SOCKET, EVENTS, FRAMES, LAST_WORD_MS } from './limits.ts';
import type { Line } from './lines.ts';
import { refusalOf } from './refusal.ts';
import { onWire } from './rooms.ts';
import { type BroadcastPush, type Push, readPush, type Version, writeMessage } from './wire.ts';

/** Why a socket is closed (RFC 6455, section 7.4.1). */
export const CLOSE = { goingAway: 1001, notUnderstood: 1007, tooMuch: 1008, fault: 1011 };

/** One open socket. */
export type Connection = {
  /** When it said something last, on performance's clock. */
  readonly heardAt: number;
  readonly closed: Promise<void>;
  channels(): Iterable<Channel>;
  close(code: number): void;
  /** At once, and without a word. */
  drop(): void;
};

export type Visitor = { version: Version; who: KeyHolder; line: Line };

/** Speaks the protocol with one client until its socket closes. */
export function serve(socket: WebSocket, wire: Socket, visitor: Visitor, hall: Hall): Connection {
  const { version } = visitor;
  const channels = new Map<string, Channel>();
  const frames = bucket(FRAMES);
  const closed = Promise.withResolvers<void>();
  let heardAt = performance.now();
  /** Of the frames that wait, in bytes: nobody is slow because one message is large. */
  let largest = 0;

  const write = (frame: Buffer) => {
    if (socket.readyState !== socket.OPEN) return;
    if (wire.writableLength === 0) largest = 0;
    if (wire.writableLength > BACKLOG_BYTES + largest) {
      counts.realtime_slow_sockets_dropped += 1;
      return socket.terminate();
    }
    largest = Math.max(largest, frame.length);
    wire.write(frame);
  };
  const client: Client = {
    ...visitor,
    events: bucket(EVENTS),
    get open() {
      return socket.readyState === socket.OPEN;
    },
    write,
    say: (envelope, payload) => write(writeMessage(version, envelope, payload)),
    reply(to, status, response) {
      if (to.ref !== null) client.say({ ...to, event: 'phx_reply' }, { status, response });
    },
  };

  const handle = (push: Push | BroadcastPush): void | Promise<void> => {
    // What waited while it went.
    if (!client.open) return;
    const { topic, event, joinRef } = push;
    if (topic === 'phoenix' && event === 'heartbeat') return client.reply(push, 'ok', {});
    if (event === 'phx_join' && 'payload' in push && topic.startsWith(onWire(''))) return enter(push);
    const channel = channels.get(topic);
    // What a client said on a join that is over.
    const known = channel && (joinRef === null || joinRef === channel.joinRef);
    if (event === 'phx_leave') {
      if (known) forget(topic, channel);
      client.reply(push, 'ok', {});
      if (known) client.say({ ...push, ref: channel.joinRef, event: 'phx_close' }, {});
      return;
    }
    if (!known) return client.reply(push, 'error', { reason: 'unmatched topic' });
    return channel.hear(push);
  };

  const enter = async (push: Push): Promise<void> => {
    const { topic } = push;
    const before = channels.get(topic);
    if (before) {
      forget(topic, before);
      client.say({ ...push, joinRef: before.joinRef, ref: before.joinRef, event: 'phx_close' }, {});
    }
    if (channels.size >= CHANNELS_PER_SOCKET) {
      return client.reply(push, 'error', { reason: 'ChannelRateLimitReached: Too many channels' });
    }
    try {
      const channel = await join(client, push, hall, () => channels.delete(topic));
      if (channel) channels.set(topic, channel);
    } catch (error) {
      client.reply(push, 'error', { reason: refusalOf(error, topic.slice(onWire('').length)) });
    }
  };

  const forget = (topic: string, channel: Channel) => {
    channels.delete(topic);
    channel.leave();
  };

  const close = (code: number) => {
    socket.close(code);
    // For one that does not answer, or goes on talking.
    setTimeout(() => socket.terminate(), LAST_WORD_MS).unref();
  };
  const inTurn = inOrder({
    handle,
    onWaiting: () => socket.pause(),
    onFree: () => socket.resume(),
    onError(error) {
      logFault(error);
      close(CLOSE.fault);
    },
  });
  /** @returns whether the client keeps to what is bearable */
  const bearable = () => {
    heardAt = performance.now();
    if (!client.open) return false;
    if (frames.take()) return true;
    close(CLOSE.tooMuch);
    return false;
  };
  socket.on('message', (data: RawData, binary) => {
    if (!bearable()) return;
    const push = readPush(version, data as Buffer, binary);
    if (push) inTurn(push);
    else close(CLOSE.notUnderstood);
  });
  // ws answers each with a pong, which waits in memory while nobody reads it.
  socket.on('ping', () => {
    if (bearable() && wire.writableLength > BACKLOG_BYTES) socket.terminate();
  });
  // What is wrong with a frame ws has answered already, by closing.
  socket.on('error', () => {});
  socket.on('close', () => {
    for (const [topic, channel] of channels) forget(topic, channel);
    visitor.line.closed();
    closed.resolve();
  });

  return {
    get heardAt() {
      return heardAt;
    },
    closed: closed.promise,
    channels: () => channels.values(),
    close,
    drop: () => socket.terminate(),
  };
}
