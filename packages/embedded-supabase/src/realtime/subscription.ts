import { randomUUID } from 'node:crypto';
import { Unavailable } from '../engine/errors.ts';
import { logError } from '../gateway/responses.ts';
import { afterLong, type LongTimer } from '../timers.ts';
import type { Claims } from '../tokens.ts';
import {
  EVERYTHING,
  isSignedOut,
  JoinError,
  joinErrorOf,
  PRIVATE_ONLY,
  readDenied,
  TOO_MANY_MESSAGES,
  type TopicPermissions,
} from './access.ts';
import {
  broadcast,
  broadcastPresence,
  type Channel,
  type Client,
  type Diff,
  type SocketContext,
  type Subscriber,
  wireName,
} from './channels.ts';
import {
  DELIVERY_BYTES,
  PAYLOAD_BYTES,
  PRESENCE_BYTES,
  PRESENCE_CALLS,
  PRESENCES_PER_CHANNEL,
} from './limits.ts';
import type { StoredMessage } from './messages.ts';
import { type BroadcastPush, isName, type Push, record, writeBroadcast } from './protocol.ts';

/** Reads the options of a join. Invalid options count as missing, as on Supabase. */
function readJoinRequest(payload: unknown) {
  const { config, access_token: token } = record(payload);
  const { broadcast, presence, postgres_changes: changes, private: isPrivate } = record(config);
  const { ack, self, replay, replication_ready: notice } = record(broadcast);
  const { enabled, key } = record(presence);
  return {
    private: isPrivate === true,
    /** Whether each message is acknowledged. */
    ack: ack === true,
    /** Whether the client receives its own messages. */
    self: self === true,
    presence: { enabled: enabled !== false, key: isName(key) ? key : randomUUID() },
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
  const { since, limit } = record(replay);
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
 * @throws JoinError, TokenRefused, or as queryPermissions
 */
export async function join(
  client: Client,
  push: Push,
  context: SocketContext,
  onEnd: () => void,
): Promise<Subscription | undefined> {
  const topic = push.topic.slice(wireName('').length);
  if (!topic) throw new JoinError('TopicNameRequired: You must provide a topic name');
  if (!client.limits.join()) throw new JoinError('ClientJoinRateLimitReached: Too many joins per second');
  const request = readJoinRequest(push.payload);
  if (!request.private && !context.publicChannels) throw new JoinError(`PrivateOnly: ${PRIVATE_ONLY}`);
  if (request.postgresChanges) {
    throw new JoinError('PostgresChangesNotOffered: Send what has changed with realtime.send() instead');
  }
  if (request.replay && !request.private) {
    throw new JoinError('UnableToReplayMessages: Replay is not allowed for public channels');
  }
  const claims = await context.access.claims(client.who, request.token);
  const rights = request.private
    ? await context.access.rights(claims, topic, client.limits.client)
    : EVERYTHING;
  if (!rights.broadcast.read) throw readDenied(topic);
  if (!client.open) return undefined;

  const { joinRef } = push;
  const { replay } = request;
  // Subscribes first. Otherwise messages that are sent while the old messages are read would be lost.
  const channel = openSubscription({
    client,
    joinRef,
    topic,
    request,
    claims,
    rights,
    context,
    onEnd,
  });
  try {
    const before = replay ? await context.replay(topic, replay.since, replay.limit) : [];
    if (!client.open || channel.over) {
      channel.leave();
      return undefined;
    }
    client.reply(push, 'ok', { postgres_changes: [] });
    channel.welcome(before);
    return channel.over ? undefined : channel;
  } catch (error) {
    channel.leave();
    throw error;
  }
}

type PresenceSubscriber = {
  client: Client;
  channel: Channel;
  subscriber: Subscriber;
  request: JoinRequest;
  rights(): TopicPermissions['presence'];
  /** Current key of the client's presence. */
  key(): string;
  say(event: string, payload: unknown): void;
  end(message: string): void;
};

function presenceHandlers({
  client,
  channel,
  subscriber,
  request,
  rights,
  key,
  say,
  end,
}: PresenceSubscriber) {
  let enabled = request.presence.enabled;
  let calls: number[] = [];

  const tell = (change: Diff | undefined) => change && broadcastPresence(channel, change);
  /** Sends the client the list of all presences. */
  const welcome = () => {
    if (!subscriber.hearsPresence) return;
    if (!client.limits.deliver(channel.presence.bytes + DELIVERY_BYTES)) return end(TOO_MANY_MESSAGES);
    say('presence_state', channel.presence.everybody());
  };

  const track = (push: Push, said: unknown) => {
    const refuse = (reason: string) => client.reply(push, 'error', { reason });
    if (!rights().write) return refuse('Unauthorized: You do not have permissions to track presence');
    if (typeof said !== 'object' || said === null || Array.isArray(said)) {
      return refuse('Presence track payload must be a map');
    }
    const bytes = Buffer.byteLength(JSON.stringify(said));
    if (bytes > PRESENCE_BYTES) return end('Track message size exceeded');
    if (channel.presence.size >= PRESENCES_PER_CHANNEL && !channel.presence.has(subscriber)) {
      return refuse('Too many presences in this channel');
    }
    if (!client.limits.deliver(channel.subscribers.size * (bytes + DELIVERY_BYTES)))
      return end(TOO_MANY_MESSAGES);
    const change = channel.presence.track(subscriber, key(), record(said));
    client.reply(push, 'ok', {});
    if (!enabled) {
      enabled = true;
      welcome();
    }
    tell(change);
  };

  const mayCall = () => {
    const now = performance.now();
    calls = calls.filter((time) => now - time < PRESENCE_CALLS.withinMs);
    return calls.push(now) <= PRESENCE_CALLS.most;
  };

  return {
    /** Whether the client listens for presence changes. */
    get enabled() {
      return enabled;
    },
    welcome,
    leave: () => tell(channel.presence.untrack(subscriber)),
    hear(push: Push) {
      if (!client.events.take()) return end(TOO_MANY_MESSAGES);
      if (!mayCall()) return end('Client presence rate limit exceeded');
      const { event, payload } = record(push.payload);
      const call = String(event).toLowerCase();
      if (call === 'track') return track(push, payload ?? {});
      if (call !== 'untrack') return client.reply(push, 'error', { reason: 'Unknown presence event' });
      client.reply(push, 'ok', {});
      tell(channel.presence.untrack(subscriber));
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
  rights: TopicPermissions;
  context: SocketContext;
  onEnd: () => void;
};

/** Subscribes a client to a channel. The caller has checked that the client may read from it. */
function openSubscription(joined: SubscriptionOptions) {
  const { client, joinRef, topic, request, context, onEnd } = joined;
  let { claims, rights } = joined;
  let { token } = request;
  let left = false;
  /** Whether the last permission query for these claims failed because of the database. */
  let unasked = false;
  let expiry: LongTimer | undefined;
  /** Messages that arrived before the reply to the join. */
  let held: { frame: Buffer; id: string | undefined }[] | undefined = [];

  const subscriber: Subscriber = {
    version: client.version,
    get hearsPresence() {
      return !held && presence.enabled && rights.presence.read;
    },
    write(frame, id) {
      if (held) held.push({ frame, id });
      else client.write(frame);
    },
  };
  const channel = context.channels.enter(topic, request.private, subscriber);
  const say = (event: string, payload: unknown, ref: string | null = null) =>
    client.say({ joinRef, ref, topic: wireName(topic), event }, payload);

  const leave = () => {
    if (left) return;
    left = true;
    expiry?.stop();
    presence.leave();
    context.channels.leave(channel, subscriber);
  };

  /** Ends the subscription because of an error. Phoenix's client does not rejoin automatically after `phx_close`. */
  const end = (message: string) => {
    if (left) return;
    leave();
    say('system', { extension: 'system', status: 'error', message, channel: topic });
    say('phx_close', {}, joinRef);
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
    rights: () => rights.presence,
    key,
    say,
    end,
  });

  const watchExpiry = () => {
    expiry?.stop();
    if (claims.exp === undefined) return;
    // A token is valid for a week at most (config.ts), unless it was issued while the clock was ahead.
    expiry = afterLong(claims.exp * 1000 - Date.now(), () => end('Token has expired'));
  };
  watchExpiry();

  const ask = async (claims: Claims): Promise<{ may: TopicPermissions } | { error: unknown }> => {
    try {
      if (!request.private) return { may: EVERYTHING };
      return { may: await context.access.rights(claims, topic, client.limits.client) };
    } catch (error) {
      return { error };
    }
  };

  /** Queries the permissions of these claims, and ends the subscription if the client may no longer read. */
  const admit = async (newClaims: Claims): Promise<void> => {
    const answer = await ask(newClaims);
    // A newer token has arrived meanwhile and is checked by its own call.
    if (left || newClaims !== claims) return;
    if ('error' in answer) {
      const { error } = answer;
      if (isSignedOut(error)) return end(joinErrorOf(error, topic));
      // Does not end the subscription, because the client would not rejoin. Errors of the database are temporary.
      if (!unasked && !(error instanceof Unavailable)) logError(error);
      unasked = true;
      return;
    }
    const { may } = answer;
    unasked = false;
    if (!may.broadcast.read) {
      return end(`You no longer have permission to read from this Channel topic: ${topic}`);
    }
    const previousPresence = subscriber.hearsPresence;
    rights = may;
    if (!may.presence.write) presence.leave();
    // The client has missed presence changes meanwhile.
    if (!previousPresence) presence.welcome();
  };

  const renew = async (given: string | undefined): Promise<void> => {
    if (!given || given === token) return;
    if (!client.limits.join()) return end(TOO_MANY_MESSAGES);
    token = given;
    const before = claims;
    try {
      claims = await context.access.claims(client.who, given);
    } catch (error) {
      return end(joinErrorOf(error, topic));
    }
    if (claims === before || left) return;
    if (claims.sub !== before.sub) presence.leave();
    watchExpiry();
    await admit(claims);
  };

  const send = (push: BroadcastPush) => {
    const { broadcast: message } = push;
    const answer = (status: 'ok' | 'error', response = {}) => {
      if (request.ack) client.reply(push, status, response);
    };
    const bytes = Buffer.byteLength(message.payload);
    if (!client.events.take()) return end(TOO_MANY_MESSAGES);
    if (bytes > PAYLOAD_BYTES) return answer('error', { reason: 'Payload size exceeds the limit' });
    if (message.persist) return answer('error', { error: 'Messages are not kept here' });
    // Supabase does not reply in this case.
    if (!rights.broadcast.write) return;
    if (!client.limits.deliver(channel.subscribers.size * (bytes + DELIVERY_BYTES)))
      return end(TOO_MANY_MESSAGES);
    broadcast(
      channel,
      { event: message.event, payload: message.payload },
      request.self ? undefined : subscriber,
    );
    answer('ok');
  };

  return {
    joinRef,
    /** Whether the subscription has ended. */
    get over() {
      return left;
    },
    /** Leaves the channel without notifying the client. */
    leave,
    /** Sends the replayed messages, and then those that arrived during the join. */
    welcome(before: StoredMessage[]): void {
      for (const { id, event, payload } of before) {
        const message = { event, payload, meta: { replayed: true, id } };
        const frame = writeBroadcast(client.version, wireName(topic), message);
        if (frame) client.write(frame);
      }
      const told = new Set<string | undefined>(before.map(({ id }) => id));
      for (const { frame, id } of held ?? []) if (id === undefined || !told.has(id)) client.write(frame);
      held = undefined;
      if (request.readyNotice) {
        say('system', {
          extension: 'system',
          status: 'ok',
          message: 'Replication connection established',
          channel: topic,
        });
      }
      presence.welcome();
    },
    /** Handles a message of the client. */
    hear(push: Push | BroadcastPush): void | Promise<void> {
      if ('broadcast' in push) return send(push);
      if (push.event === 'presence') return presence.hear(push);
      if (push.event === 'access_token') return renew(tokenOf(record(push.payload).access_token));
    },
    /** Checks the permissions again. The caller repeats this regularly. */
    async recheck(): Promise<void> {
      // The permissions of an API key change only with the policies, and are checked at each join.
      if (request.private && (claims.sub !== undefined || unasked)) await admit(claims);
    },
  };
}
