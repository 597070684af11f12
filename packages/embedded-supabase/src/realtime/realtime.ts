import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Engine } from '../engine/engine.ts';
import type { Keys } from '../keys.ts';
import type { Tokens } from '../tokens.ts';
import { openAccess } from './access.ts';
import { broadcast, openChannels, type SocketContext } from './channels.ts';
import {
  CLOSE_CODES,
  readHandshake,
  rejectUpgrade,
  type SocketConnection,
  serveSocket,
} from './connection.ts';
import {
  IDLE_TIMEOUT_MS,
  MAX_FRAGMENTS,
  MAX_FRAME_BYTES,
  openClientLimits,
  RECHECK_INTERVAL_MS,
} from './limits.ts';
import { openMessageFeed, readRecentMessages } from './messages.ts';

type RealtimeOptions = {
  engine: Engine;
  keys: Keys;
  tokens: Tokens;
  /** Whether clients may use channels that are not private. */
  publicChannels: boolean;
};

/** Number of checks for silent sockets within the maximum silence. */
const IDLE_CHECKS = 4;

/**
 * Opens the service `/realtime/v1`, which sends messages of clients and of the database to sockets.
 * @param idleTimeoutMs milliseconds of silence after which a socket is closed
 */
export async function openRealtime(
  { engine, keys, tokens, publicChannels }: RealtimeOptions,
  { idleTimeoutMs = IDLE_TIMEOUT_MS, recheckIntervalMs = RECHECK_INTERVAL_MS } = {},
) {
  const context: SocketContext = {
    channels: openChannels(),
    access: openAccess(engine, tokens),
    clientLimits: openClientLimits(),
    publicChannels,
    readRecentMessages: (topic, since, limit) => readRecentMessages(engine, topic, since, limit),
  };
  const connections = new Set<SocketConnection>();
  let isClosing = false;
  const socketServer = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
    maxFragments: MAX_FRAGMENTS,
  });
  const feed = await openMessageFeed(engine, ({ id, topic, event, payload, private: isPrivate }) => {
    const channel = context.channels.find(topic, isPrivate);
    if (channel) broadcast(channel, { event, payload, meta: { id } });
  });

  const idleTimer = setInterval(() => {
    const cutoff = performance.now() - idleTimeoutMs;
    for (const connection of connections) if (connection.lastReceivedAt < cutoff) connection.terminate();
  }, idleTimeoutMs / IDLE_CHECKS);

  /** Rechecks all subscriptions at once, so that equal queries share a result. Few queries run at a time. */
  const recheck = async () => {
    const subscriptions = [...connections].flatMap((connection) => [...connection.subscriptions()]);
    await Promise.all(subscriptions.map((subscription) => subscription.recheckPermissions()));
  };
  let currentRecheck: Promise<void> | undefined;
  const recheckTimer = setInterval(() => {
    // Does not start a recheck while the previous one is running.
    currentRecheck ??= recheck().finally(() => {
      currentRecheck = undefined;
    });
  }, recheckIntervalMs);

  return {
    /** For broadcasts over HTTP. */
    context,
    /** Handles upgrade requests of the HTTP server. */
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer) {
      // Until ws handles the socket, an error without a listener would end the process.
      const onError = () => socket.destroy();
      socket.on('error', onError);
      if (isClosing) return rejectUpgrade(socket, { status: 503, error: 'Try again in a moment.' });
      const handshake = readHandshake(request, keys);
      if ('status' in handshake) return rejectUpgrade(socket, handshake);
      const limits = context.clientLimits.forAddress(handshake.address);
      if (!limits.openSocket()) return rejectUpgrade(socket, { status: 429, error: 'Too many connections' });
      let isOpened = false;
      socket.once('close', () => isOpened || limits.closeSocket());
      socketServer.handleUpgrade(request, socket, head, (client) => {
        isOpened = true;
        socket.off('error', onError);
        const connection = serveSocket(client, socket as Socket, { ...handshake, limits }, context);
        connections.add(connection);
        client.once('close', () => connections.delete(connection));
      });
    },
    /** Number of open sockets. */
    socketCount: () => connections.size,
    /** Closes all sockets. Clients reconnect to the next backend. */
    async close(): Promise<void> {
      isClosing = true;
      clearInterval(idleTimer);
      clearInterval(recheckTimer);
      await feed.close();
      const closed = [...connections].map((connection) => connection.closed);
      for (const connection of connections) connection.close(CLOSE_CODES.goingAway);
      await Promise.all(closed);
      context.access.close();
      await currentRecheck;
    },
  };
}
