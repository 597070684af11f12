import { randomUUID } from 'node:crypto';
import { EVERYTHING } from './access.ts';
import { openSubscription, type Subscription } from './channel.ts';
import { wireName } from './channels.ts';
import { type Client, type JoinRequest, type SocketContext, tokenOf } from './context.ts';
import { JoinError, PRIVATE_ONLY, readDenied } from './errors.ts';
import { isName, type Push, record } from './protocol.ts';

/** Reads a join as Supabase does: what is missing or odd counts as not asked for. */
function readJoinRequest(payload: unknown): JoinRequest {
  const { config, access_token: token } = record(payload);
  const { broadcast, presence, postgres_changes: changes, private: isPrivate } = record(config);
  const { ack, self, replay, replication_ready: notice } = record(broadcast);
  const { enabled, key } = record(presence);
  return {
    private: isPrivate === true,
    ack: ack === true,
    self: self === true,
    presence: { enabled: enabled !== false, key: isName(key) ? key : randomUUID() },
    replay: readReplay(replay),
    postgresChanges: Array.isArray(changes) && changes.length > 0,
    readyNotice: notice === true,
    token: tokenOf(token),
  };
}

function readReplay(replay: unknown): JoinRequest['replay'] {
  const { since, limit } = record(replay);
  if (typeof since !== 'number') return undefined;
  const requestedLimit =
    typeof limit === 'number' && limit >= 1 ? Math.floor(limit) : Number.POSITIVE_INFINITY;
  // The time is made one of the database's, which has a last one.
  return { since: Math.max(0, Math.min(since, Date.now())), limit: requestedLimit };
}

/**
 * Joins a client to a channel and replies to it.
 * @param onEnd runs if the server ends the subscription, after telling the client
 * @returns undefined if the client has disconnected, or the subscription has ended meanwhile
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
  // In the room first: what is sent while the old messages are read would be among neither.
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
