import { EVERYTHING } from './access.ts';
import { type Channel, openChannel } from './channel.ts';
import type { Client } from './client.ts';
import type { Hall } from './hall.ts';
import { readJoin } from './join-request.ts';
import { mayNotRead, PRIVATE_ONLY, Refused } from './refusal.ts';
import { onWire } from './rooms.ts';
import type { Push } from './wire.ts';

/**
 * Joins a client to the channel that it asks for, if it may, and says so to it.
 * @param onEnd runs when the channel ends by itself, which the client has been told by then
 * @returns undefined for a client that has gone meanwhile, or a channel that has ended
 * @throws Refused, TokenRefused, or as askRights
 */
export async function join(
  client: Client,
  push: Push,
  hall: Hall,
  onEnd: () => void,
): Promise<Channel | undefined> {
  const topic = push.topic.slice(onWire('').length);
  if (!topic) throw new Refused('TopicNameRequired: You must provide a topic name');
  if (!client.line.join()) throw new Refused('ClientJoinRateLimitReached: Too many joins per second');
  const request = readJoin(push.payload);
  if (!request.private && !hall.publicChannels) throw new Refused(`PrivateOnly: ${PRIVATE_ONLY}`);
  if (request.postgresChanges) {
    throw new Refused('PostgresChangesNotOffered: Send what has changed with realtime.send() instead');
  }
  if (request.replay && !request.private) {
    throw new Refused('UnableToReplayMessages: Replay is not allowed for public channels');
  }
  const claims = await hall.access.claims(client.who, request.token);
  const rights = request.private ? await hall.access.rights(claims, topic) : EVERYTHING;
  if (!rights.broadcast.read) throw mayNotRead(topic);
  if (!client.open) return undefined;

  const { joinRef } = push;
  const { replay } = request;
  // In the room first: what is sent while the old messages are read would be among neither.
  const channel = openChannel({ client, joinRef, topic, request, claims, rights, hall, onEnd });
  try {
    const before = replay ? await hall.replay(topic, replay.since, replay.limit) : [];
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
