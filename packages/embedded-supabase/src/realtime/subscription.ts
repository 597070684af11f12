import { randomUUID } from 'node:crypto';
import { UnavailableError } from '../engine/errors.ts';
import { logError } from '../gateway/responses.ts';
import { type LongTimer, setLongTimeout } from '../timers.ts';
import type { Claims } from '../tokens.ts';
import {
  ALL_PERMISSIONS,
  isSignedOut,
  JoinError,
  joinErrorMessage,
  PRIVATE_ONLY_MESSAGE,
  RATE_LIMIT_MESSAGE,
  readDeniedError,
  type TopicPermissions,
} from './access.ts';
import {
  broadcast,
  broadcastPresence,
  type Channel,
  type Client,
  type PresenceDiff,
  phoenixTopic,
  type SocketContext,
  type Subscriber,
} from './channels.ts';
import {
  DELIVERY_OVERHEAD_BYTES,
  MAX_PAYLOAD_BYTES,
  MAX_PRESENCE_BYTES,
  MAX_PRESENCES_PER_CHANNEL,
  PRESENCE_CALL_LIMIT,
} from './limits.ts';
import type { StoredMessage } from './messages.ts';
import { type BroadcastPush, encodeBroadcast, isValidName, objectOrEmpty, type Push } from './protocol.ts';

/** Reads the options of a join. Invalid options count as missing, as on Supabase. */
function readJoinRequest(payload: unknown) {
  const { config, access_token: token } = objectOrEmpty(payload);
  const { broadcast, presence, postgres_changes: changes, private: isPrivate } = objectOrEmpty(config);
  const { ack, self, replay, replication_ready: notice } = objectOrEmpty(broadcast);
  const { enabled, key } = objectOrEmpty(presence);
  return {
    private: isPrivate === true,
    /** Whether each message is acknowledged. */
    ack: ack === true,
    /** Whether the client receives its own messages. */
    self: self === true,
    presence: { enabled: enabled !== false, key: isValidName(key) ? key : randomUUID() },
    replay: readReplay(replay),
    postgresChanges: Array.isArray(changes) && changes.length > 0,
    /** Whether to notify the client when messages of the database are ready. Here they always are. */
    readyNotice: notice === true,
    token: tokenOf(token),
  };
}

const tokenOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

type JoinRequest = ReturnType<typeof readJoinRequest>;

/** Reads which messages to replay: `since` is a Unix time in milliseconds. @returns undefined if there is none */
function readReplay(replay: unknown): { since: number; limit: number } | undefined {
  const { since, limit } = objectOrEmpty(replay);
  if (typeof since !== 'number') return undefined;
  const requestedLimit =
    typeof limit === 'number' && limit >= 1 ? Math.floor(limit) : Number.POSITIVE_INFINITY;
  // Limits the time to the present, because PostgreSQL has a latest possible timestamp.
  return { since: Math.max(0, Math.min(since, Date.now())), limit: requestedLimit };
}

/**
 * Joins a client to a channel and replies to it.
 * @param onEnd runs if the server ends the subscription, after notifying the client
 * @returns undefined if the client has disconnected or the subscription has ended meanwhile
 * @throws JoinError, InvalidTokenError, or as queryPermissions
 */
export async function join(
  client: Client,
  push: Push,
  context: SocketContext,
  onEnd: () => void,
): Promise<Subscription | undefined> {
  const topic = push.topic.slice(phoenixTopic('').length);
  if (!topic) throw new JoinError('TopicNameRequired: You must provide a topic name');
  if (!client.limits.takeJoins())
    throw new JoinError('ClientJoinRateLimitReached: Too many joins per second');
  const request = readJoinRequest(push.payload);
  if (!request.private && !context.publicChannels)
    throw new JoinError(`PrivateOnly: ${PRIVATE_ONLY_MESSAGE}`);
  if (request.postgresChanges) {
    throw new JoinError('PostgresChangesNotOffered: Send what has changed with realtime.send() instead');
  }
  if (request.replay && !request.private) {
    throw new JoinError('UnableToReplayMessages: Replay is not allowed for public channels');
  }
  const claims = await context.access.resolveClaims(client.apiKey, request.token);
  const permissions = request.private
    ? await context.access.permissions(claims, topic, client.limits.network)
    : ALL_PERMISSIONS;
  if (!permissions.broadcast.read) throw readDeniedError(topic);
  if (!client.isOpen) return undefined;

  const { joinRef } = push;
  const { replay } = request;
  // Subscribes first. Otherwise messages that are sent while the old messages are read would be lost.
  const subscription = openSubscription({
    client,
    joinRef,
    topic,
    request,
    claims,
    permissions,
    context,
    onEnd,
  });
  try {
    const replayed = replay ? await context.readRecentMessages(topic, replay.since, replay.limit) : [];
    if (!client.isOpen || subscription.hasEnded) {
      subscription.leave();
      return undefined;
    }
    client.reply(push, 'ok', { postgres_changes: [] });
    subscription.sendInitialMessages(replayed);
    return subscription.hasEnded ? undefined : subscription;
  } catch (error) {
    subscription.leave();
    throw error;
  }
}

type PresenceSubscriber = {
  client: Client;
  channel: Channel;
  subscriber: Subscriber;
  request: JoinRequest;
  permissions(): TopicPermissions['presence'];
  /** Current key of the client's presence. */
  key(): string;
  sendEvent(event: string, payload: unknown): void;
  end(message: string): void;
};

function presenceHandlers({
  client,
  channel,
  subscriber,
  request,
  permissions,
  key,
  sendEvent,
  end,
}: PresenceSubscriber) {
  let enabled = request.presence.enabled;
  let calls: number[] = [];

  const broadcastChange = (change: PresenceDiff | undefined) => change && broadcastPresence(channel, change);
  /** Sends the client the list of all presences. */
  const sendPresenceState = () => {
    if (!subscriber.receivesPresence) return;
    if (!client.limits.takeBytes(channel.presence.bytes + DELIVERY_OVERHEAD_BYTES))
      return end(RATE_LIMIT_MESSAGE);
    sendEvent('presence_state', channel.presence.state());
  };

  const track = (push: Push, payload: unknown) => {
    const refuse = (reason: string) => client.reply(push, 'error', { reason });
    if (!permissions().write) return refuse('Unauthorized: You do not have permissions to track presence');
    if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
      return refuse('Presence track payload must be a map');
    }
    const bytes = Buffer.byteLength(JSON.stringify(payload));
    if (bytes > MAX_PRESENCE_BYTES) return end('Track message size exceeded');
    if (channel.presence.size >= MAX_PRESENCES_PER_CHANNEL && !channel.presence.has(subscriber)) {
      return refuse('Too many presences in this channel');
    }
    if (!client.limits.takeBytes(channel.subscribers.size * (bytes + DELIVERY_OVERHEAD_BYTES)))
      return end(RATE_LIMIT_MESSAGE);
    const change = channel.presence.track(subscriber, key(), objectOrEmpty(payload));
    client.reply(push, 'ok', {});
    if (!enabled) {
      enabled = true;
      sendPresenceState();
    }
    broadcastChange(change);
  };

  const countCall = () => {
    const now = performance.now();
    calls = calls.filter((time) => now - time < PRESENCE_CALL_LIMIT.windowMs);
    return calls.push(now) <= PRESENCE_CALL_LIMIT.max;
  };

  return {
    /** Whether the client listens for presence changes. */
    get enabled() {
      return enabled;
    },
    sendState: sendPresenceState,
    leave: () => broadcastChange(channel.presence.untrack(subscriber)),
    handlePush(push: Push) {
      if (!client.eventBucket.take()) return end(RATE_LIMIT_MESSAGE);
      if (!countCall()) return end('Client presence rate limit exceeded');
      const { event, payload } = objectOrEmpty(push.payload);
      const call = String(event).toLowerCase();
      if (call === 'track') return track(push, payload ?? {});
      if (call !== 'untrack') return client.reply(push, 'error', { reason: 'Unknown presence event' });
      client.reply(push, 'ok', {});
      broadcastChange(channel.presence.untrack(subscriber));
    },
  };
}

export type Subscription = ReturnType<typeof openSubscription>;

type SubscriptionOptions = {
  client: Client;
  joinRef: string | null;
  topic: string;
  request: JoinRequest;
  claims: Claims;
  permissions: TopicPermissions;
  context: SocketContext;
  onEnd: () => void;
};

/** Subscribes a client to a channel. The caller has checked that the client may read from it. */
function openSubscription(options: SubscriptionOptions) {
  const { client, joinRef, topic, request, context, onEnd } = options;
  let { claims, permissions } = options;
  let { token } = request;
  let hasLeft = false;
  /** Whether the last permission query for these claims failed because of the database. */
  let lastQueryFailed = false;
  let expiry: LongTimer | undefined;
  /** Messages that arrived before the reply to the join. */
  let pendingFrames: { frame: Buffer; id: string | undefined }[] | undefined = [];

  const subscriber: Subscriber = {
    version: client.version,
    get receivesPresence() {
      return !pendingFrames && presence.enabled && permissions.presence.read;
    },
    writeFrame(frame, id) {
      if (pendingFrames) pendingFrames.push({ frame, id });
      else client.writeFrame(frame);
    },
  };
  const channel = context.channels.addSubscriber(topic, request.private, subscriber);
  const sendEvent = (event: string, payload: unknown, ref: string | null = null) =>
    client.send({ joinRef, ref, topic: phoenixTopic(topic), event }, payload);

  const leave = () => {
    if (hasLeft) return;
    hasLeft = true;
    expiry?.stop();
    presence.leave();
    context.channels.removeSubscriber(channel, subscriber);
  };

  /** Ends the subscription because of an error. Phoenix's client does not rejoin automatically after `phx_close`. */
  const end = (message: string) => {
    if (hasLeft) return;
    leave();
    sendEvent('system', { extension: 'system', status: 'error', message, channel: topic });
    sendEvent('phx_close', {}, joinRef);
    onEnd();
  };

  // Other clients take the key as the identity of a person. In a private channel, the key of a signed-in client is
  // therefore its user id, whatever key it requests. Supabase's own server accepts any key.
  const key = () => (request.private && claims.sub ? claims.sub : request.presence.key);
  const presence = presenceHandlers({
    client,
    channel,
    subscriber,
    request,
    permissions: () => permissions.presence,
    key,
    sendEvent,
    end,
  });

  const watchExpiry = () => {
    expiry?.stop();
    if (claims.exp === undefined) return;
    // A token is valid for a week at most (config.ts), unless it was issued while the clock was ahead.
    expiry = setLongTimeout(claims.exp * 1000 - Date.now(), () => end('Token has expired'));
  };
  watchExpiry();

  const queryPermissionsOf = async (
    claims: Claims,
  ): Promise<{ permissions: TopicPermissions } | { error: unknown }> => {
    try {
      if (!request.private) return { permissions: ALL_PERMISSIONS };
      return { permissions: await context.access.permissions(claims, topic, client.limits.network) };
    } catch (error) {
      return { error };
    }
  };

  /** Queries the permissions of these claims, and ends the subscription if the client may no longer read. */
  const applyPermissions = async (newClaims: Claims): Promise<void> => {
    const result = await queryPermissionsOf(newClaims);
    // A newer token has arrived meanwhile and is checked by its own call.
    if (hasLeft || newClaims !== claims) return;
    if ('error' in result) {
      const { error } = result;
      if (isSignedOut(error)) return end(joinErrorMessage(error, topic));
      // Does not end the subscription, because the client would not rejoin. Errors of the database are temporary.
      if (!lastQueryFailed && !(error instanceof UnavailableError)) logError(error);
      lastQueryFailed = true;
      return;
    }
    const { permissions: newPermissions } = result;
    lastQueryFailed = false;
    if (!newPermissions.broadcast.read) {
      return end(`You no longer have permission to read from this Channel topic: ${topic}`);
    }
    const previousPresence = subscriber.receivesPresence;
    permissions = newPermissions;
    if (!newPermissions.presence.write) presence.leave();
    // The client has missed presence changes meanwhile.
    if (!previousPresence) presence.sendState();
  };

  const renewToken = async (newToken: string | undefined): Promise<void> => {
    if (!newToken || newToken === token) return;
    if (!client.limits.takeJoins()) return end(RATE_LIMIT_MESSAGE);
    token = newToken;
    const previousClaims = claims;
    try {
      claims = await context.access.resolveClaims(client.apiKey, newToken);
    } catch (error) {
      return end(joinErrorMessage(error, topic));
    }
    if (claims === previousClaims || hasLeft) return;
    if (claims.sub !== previousClaims.sub) presence.leave();
    watchExpiry();
    await applyPermissions(claims);
  };

  const send = (push: BroadcastPush) => {
    const { broadcast: message } = push;
    const acknowledge = (status: 'ok' | 'error', response = {}) => {
      if (request.ack) client.reply(push, status, response);
    };
    const bytes = Buffer.byteLength(message.payload);
    if (!client.eventBucket.take()) return end(RATE_LIMIT_MESSAGE);
    if (bytes > MAX_PAYLOAD_BYTES) return acknowledge('error', { reason: 'Payload size exceeds the limit' });
    if (message.persist) return acknowledge('error', { error: 'Messages are not stored' });
    // Supabase does not reply in this case.
    if (!permissions.broadcast.write) return;
    if (!client.limits.takeBytes(channel.subscribers.size * (bytes + DELIVERY_OVERHEAD_BYTES)))
      return end(RATE_LIMIT_MESSAGE);
    broadcast(
      channel,
      { event: message.event, payload: message.payload },
      request.self ? undefined : subscriber,
    );
    acknowledge('ok');
  };

  return {
    joinRef,
    /** Whether the subscription has ended. */
    get hasEnded() {
      return hasLeft;
    },
    /** Leaves the channel without notifying the client. */
    leave,
    /** Sends the replayed messages, and then those that arrived during the join. */
    sendInitialMessages(replayed: StoredMessage[]): void {
      for (const { id, event, payload } of replayed) {
        const message = { event, payload, meta: { replayed: true, id } };
        const frame = encodeBroadcast(client.version, phoenixTopic(topic), message);
        if (frame) client.writeFrame(frame);
      }
      const replayedIds = new Set<string | undefined>(replayed.map(({ id }) => id));
      for (const { frame, id } of pendingFrames ?? [])
        if (id === undefined || !replayedIds.has(id)) client.writeFrame(frame);
      pendingFrames = undefined;
      if (request.readyNotice) {
        sendEvent('system', {
          extension: 'system',
          status: 'ok',
          message: 'Replication connection established',
          channel: topic,
        });
      }
      presence.sendState();
    },
    /** Handles a message of the client. */
    handlePush(push: Push | BroadcastPush): void | Promise<void> {
      if ('broadcast' in push) return send(push);
      if (push.event === 'presence') return presence.handlePush(push);
      if (push.event === 'access_token') return renewToken(tokenOf(objectOrEmpty(push.payload).access_token));
    },
    /** Checks the permissions again. The caller repeats this regularly. */
    async recheckPermissions(): Promise<void> {
      // The permissions of an API key change only with the policies, and are checked at each join.
      if (request.private && (claims.sub !== undefined || lastQueryFailed)) await applyPermissions(claims);
    },
  };
}
