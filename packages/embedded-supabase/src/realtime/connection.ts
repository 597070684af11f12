import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import ipaddr from 'ipaddr.js';
import type { RawData, WebSocket } from 'ws';
import { clientAddress, createTokenBucket, isFromServer } from '../gateway/rate-limits.ts';
import { logError } from '../gateway/responses.ts';
import { type ApiKeyType, apiKeyTypeOf, type Keys } from '../keys.ts';
import { counters } from '../metrics/counters.ts';
import { type ApiKey, joinErrorMessage } from './access.ts';
import { type Client, phoenixTopic, type SocketContext } from './channels.ts';
import {
  CLOSE_TIMEOUT_MS,
  type ClientLimits,
  EVENT_RATE,
  FRAME_RATE,
  MAX_BACKLOG_BYTES,
  MAX_CHANNELS_PER_SOCKET,
} from './limits.ts';
import {
  type BroadcastPush,
  decodePush,
  encodeMessage,
  PROTOCOL_VERSIONS,
  type ProtocolVersion,
  type Push,
} from './protocol.ts';
import { join, type Subscription } from './subscription.ts';

/** WebSocket close codes (RFC 6455, section 7.4.1). */
export const CLOSE_CODES = {
  goingAway: 1001,
  invalidPayload: 1007,
  policyViolation: 1008,
  internalError: 1011,
};

export type SocketConnection = ReturnType<typeof serveSocket>;

type SocketClient = { version: ProtocolVersion; apiKey: ApiKey; limits: ClientLimits };

/** Handles the Phoenix protocol on one client's socket until the socket closes. */
export function serveSocket(
  socket: WebSocket,
  tcpSocket: Socket,
  socketClient: SocketClient,
  context: SocketContext,
) {
  const { version } = socketClient;
  const subscriptions = new Map<string, Subscription>();
  const frameLimit = createTokenBucket(FRAME_RATE);
  const closed = Promise.withResolvers<void>();
  let lastReceivedAt = performance.now();
  /** Bytes of the largest queued frame. One large message alone does not mean that a client is slow. */
  let largestFrameBytes = 0;

  const write = (frame: Buffer) => {
    if (socket.readyState !== socket.OPEN) return;
    if (tcpSocket.writableLength === 0) largestFrameBytes = 0;
    if (tcpSocket.writableLength > MAX_BACKLOG_BYTES + largestFrameBytes) {
      counters.realtime_slow_sockets_dropped += 1;
      return socket.terminate();
    }
    largestFrameBytes = Math.max(largestFrameBytes, frame.length);
    tcpSocket.write(frame);
  };
  const client: Client = {
    ...socketClient,
    eventBucket: createTokenBucket(EVENT_RATE),
    get isOpen() {
      return socket.readyState === socket.OPEN;
    },
    writeFrame: write,
    send: (envelope, payload) => write(encodeMessage(version, envelope, payload)),
    reply(to, status, response) {
      if (to.ref !== null) client.send({ ...to, event: 'phx_reply' }, { status, response });
    },
  };

  const handle = (push: Push | BroadcastPush): void | Promise<void> => {
    // Messages that were queued while the socket closed.
    if (!client.isOpen) return;
    const { topic, event, joinRef } = push;
    if (topic === 'phoenix' && event === 'heartbeat') return client.reply(push, 'ok', {});
    if (event === 'phx_join' && 'payload' in push && topic.startsWith(phoenixTopic('')))
      return joinChannel(push);
    const subscription = subscriptions.get(topic);
    // The message may belong to an earlier join of this topic, which has ended.
    const isCurrentJoin = subscription && (joinRef === null || joinRef === subscription.joinRef);
    if (event === 'phx_leave') {
      if (isCurrentJoin) leaveChannel(topic, subscription);
      client.reply(push, 'ok', {});
      if (isCurrentJoin) client.send({ ...push, ref: subscription.joinRef, event: 'phx_close' }, {});
      return;
    }
    if (!isCurrentJoin) return client.reply(push, 'error', { reason: 'unmatched topic' });
    return subscription.handlePush(push);
  };

  const joinChannel = async (push: Push): Promise<void> => {
    const { topic } = push;
    const previous = subscriptions.get(topic);
    if (previous) {
      leaveChannel(topic, previous);
      client.send({ ...push, joinRef: previous.joinRef, ref: previous.joinRef, event: 'phx_close' }, {});
    }
    if (subscriptions.size >= MAX_CHANNELS_PER_SOCKET) {
      return client.reply(push, 'error', { reason: 'ChannelRateLimitReached: Too many channels' });
    }
    try {
      const subscription = await join(client, push, context, () => subscriptions.delete(topic));
      if (subscription) subscriptions.set(topic, subscription);
    } catch (error) {
      client.reply(push, 'error', { reason: joinErrorMessage(error, topic.slice(phoenixTopic('').length)) });
    }
  };

  const leaveChannel = (topic: string, subscription: Subscription) => {
    subscriptions.delete(topic);
    subscription.leave();
  };

  const close = (code: number) => {
    socket.close(code);
    // The client may not answer the closing handshake, or may keep sending.
    setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS).unref();
  };
  const handleInOrder = createOrderedHandler({
    handle,
    onBusy: () => socket.pause(),
    onIdle: () => socket.resume(),
    onError(error) {
      logError(error);
      close(CLOSE_CODES.internalError);
    },
  });
  /**
   * Counts a frame of the client, and closes the socket if the client exceeded its frame rate.
   * @returns false if the frame must be ignored
   */
  const acceptFrame = () => {
    lastReceivedAt = performance.now();
    if (!client.isOpen) return false;
    if (frameLimit.take()) return true;
    close(CLOSE_CODES.policyViolation);
    return false;
  };
  socket.on('message', (data: RawData, binary) => {
    if (!acceptFrame()) return;
    const push = decodePush(version, data as Buffer, binary);
    if (push) handleInOrder(push);
    else close(CLOSE_CODES.invalidPayload);
  });
  // ws answers each ping with a pong, which stays in memory until the client reads it.
  socket.on('ping', () => {
    if (acceptFrame() && tcpSocket.writableLength > MAX_BACKLOG_BYTES) socket.terminate();
  });
  // ws has already closed the socket because of an invalid frame.
  socket.on('error', () => {});
  socket.on('close', () => {
    for (const [topic, subscription] of subscriptions) leaveChannel(topic, subscription);
    socketClient.limits.closeSocket();
    closed.resolve();
  });

  return {
    /** Time of the last message from the client, on the clock of `performance.now()`. */
    get lastReceivedAt() {
      return lastReceivedAt;
    },
    closed: closed.promise,
    subscriptions: () => subscriptions.values(),
    close,
    /** Ends the connection without a closing handshake. */
    terminate: () => socket.terminate(),
  };
}

type Handling<Message> = {
  handle(message: Message): void | Promise<void>;
  /** Runs when a message must wait. No more messages should be read until `onIdle`. */
  onBusy(): void;
  onIdle(): void;
  /** Runs when a message could not be handled. The messages queued after it are discarded. */
  onError(error: unknown): void;
};

/** Returns a function that handles messages in order, each after the previous one is done. */
export function createOrderedHandler<Message>({
  handle,
  onBusy,
  onIdle,
  onError,
}: Handling<Message>): (message: Message) => void {
  let queue: Message[] = [];
  let isBusy = false;

  const drainQueue = async (current: Promise<void>) => {
    try {
      await current;
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await handle(next);
    } catch (error) {
      queue = [];
      onError(error);
    }
    isBusy = false;
    onIdle();
  };
  return (message) => {
    if (isBusy) {
      queue.push(message);
      return onBusy();
    }
    try {
      const handled = handle(message);
      if (!handled) return;
      isBusy = true;
      drainQueue(handled);
    } catch (error) {
      onError(error);
    }
  };
}

const PATH = '/realtime/v1/websocket';
/** Protocol version of clients that send none, as in Phoenix. */
const DEFAULT_VERSION: ProtocolVersion = '1.0.0';

type Handshake = { version: ProtocolVersion; apiKey: ApiKey; address: string | undefined };

/** Status and message for a client whose socket is rejected. */
type Rejection = { status: number; error: string };

/**
 * Reads API key, protocol version and client address of an upgrade request.
 * @returns a rejection if the path, the key or the version is wrong
 */
export function readHandshake(request: IncomingMessage, keys: Keys): Handshake | Rejection {
  const url = URL.parse(request.url ?? '', 'http://inside');
  if (url?.pathname !== PATH) return { status: 404, error: 'There is nothing here.' };
  const key = url.searchParams.get('apikey') ?? String(request.headers.apikey ?? '');
  const keyType = apiKeyTypeOf(keys, key);
  if (!keyType) return { status: 401, error: 'Invalid API key' };
  const version = url.searchParams.get('vsn') ?? DEFAULT_VERSION;
  if (!isVersion(version))
    return { status: 403, error: `Protocol version ${PROTOCOL_VERSIONS.join(' or ')} is needed.` };
  return { version, apiKey: { key, type: keyType }, address: addressOf(request, keyType, keys) };
}

/**
 * Returns the same as `clientAddress`, but undefined also for requests with the secret key, and for visitors on this
 * machine that come through the website.
 */
function addressOf({ headers }: IncomingMessage, keyType: ApiKeyType, keys: Keys): string | undefined {
  if (keyType === 'secret') return undefined;
  const header = (name: string) => headers[name]?.toString();
  const address = clientAddress(header, keys);
  return address && isFromServer(header, keys) && isLoopback(address) ? undefined : address;
}

const isLoopback = (address: string) =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';

const isVersion = (text: string): text is ProtocolVersion =>
  PROTOCOL_VERSIONS.includes(text as ProtocolVersion);

/** Answers an upgrade request with an HTTP error and closes the connection. */
export function rejectUpgrade(socket: Duplex, { status, error }: Rejection): void {
  const body = JSON.stringify({ error });
  // The connection would otherwise stay half open until the client closes it.
  socket.once('finish', () => socket.destroy());
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'connection: close',
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  );
}
