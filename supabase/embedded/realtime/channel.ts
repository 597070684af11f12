import type { Claims } from '../caller.ts';
import { Unavailable } from '../engine/unavailable.ts';
import { EVERYTHING } from './access.ts';
import type { Client } from './client.ts';
import type { Hall } from './hall.ts';
import { type JoinRequest, tokenOf } from './join-request.ts';
import { DELIVERY_BYTES, PAYLOAD_BYTES } from './limits.ts';
import { presencePart } from './presence-part.ts';
import { refusalOf, TOO_MANY_MESSAGES } from './refusal.ts';
import type { Rights } from './rights.ts';
import { broadcast, type Member, onWire } from './rooms.ts';
import { type Broadcast, type BroadcastPush, type Push, record, writeBroadcast } from './wire.ts';

/** One join of one socket: a client that is in a room. */
export type Channel = {
  joinRef: string | null;
  /** Handles what the client says on it. */
  hear(push: Push | BroadcastPush): void | Promise<void>;
  /** Sends a message to this client alone. */
  receive(message: Broadcast): void;
  /** Tells the client, once it knows that it has joined, what there is to know. */
  welcome(): void;
  /** Asks again whether its person may still be here; to be called now and then. */
  recheck(): Promise<void>;
  /** Goes out of the room without a word to the client. */
  leave(): void;
};

export type Joined = {
  client: Client;
  joinRef: string | null;
  topic: string;
  request: JoinRequest;
  claims: Claims;
  rights: Rights;
  hall: Hall;
  onEnd: () => void;
};

/** Brings a client that may into its room. */
export function openChannel(joined: Joined): Channel {
  const { client, joinRef, topic, request, hall, onEnd } = joined;
  let { claims, rights } = joined;
  let { token } = request;
  let left = false;
  /** The database was away when it was to be asked about these claims. */
  let unasked = false;
  let expiry: NodeJS.Timeout | undefined;

  const member: Member = {
    version: client.version,
    get hearsPresence() {
      return presence.enabled && rights.presence.read;
    },
    write: client.write,
  };
  const room = hall.rooms.enter(topic, request.private, member);
  const say = (event: string, payload: unknown, ref: string | null = null) =>
    client.say({ joinRef, ref, topic: onWire(topic), event }, payload);

  const leave = () => {
    if (left) return;
    left = true;
    clearTimeout(expiry);
    presence.leave();
    hall.rooms.leave(room, member);
  };

  /** For what Phoenix's client takes as the last word: it does not come back by itself. */
  const end = (message: string) => {
    if (left) return;
    leave();
    say('system', { extension: 'system', status: 'error', message, channel: topic });
    say('phx_close', {}, joinRef);
    onEnd();
  };

  const presence = presencePart({ client, room, member, request, rights: () => rights.presence, say, end });

  const watchExpiry = () => {
    clearTimeout(expiry);
    if (claims.exp === undefined) return;
    // Tokens live a week at most (config.ts), a timer 25 days.
    expiry = setTimeout(() => end('Token has expired'), claims.exp * 1000 - Date.now());
  };
  watchExpiry();

  /** Asks what these claims may do here, and ends the channel when it is not enough. */
  const admit = async (wanted: Claims): Promise<void> => {
    const may = request.private ? await hall.access.rights(wanted, topic) : EVERYTHING;
    // Another token has come meanwhile, and is asked about itself.
    if (left || wanted !== claims) return;
    unasked = false;
    if (!may.broadcast.read) {
      return end(`You no longer have permission to read from this Channel topic: ${topic}`);
    }
    rights = may;
    if (!may.presence.write) presence.leave();
  };

  const renew = async (given: string | undefined): Promise<void> => {
    if (!given || given === token) return;
    if (!client.line.join()) return end(TOO_MANY_MESSAGES);
    token = given;
    try {
      const before = claims;
      claims = await hall.access.claims(client.who, given);
      if (claims === before || left) return;
      watchExpiry();
      await admit(claims);
    } catch (error) {
      // Whom a channel is closed to does not come back: an outage is over soon, and asked about then.
      if (error instanceof Unavailable) unasked = true;
      else end(refusalOf(error, topic));
    }
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
    // Supabase's answer to this is none.
    if (!rights.broadcast.write) return;
    if (!client.line.deliver(room.members.size * (bytes + DELIVERY_BYTES))) return end(TOO_MANY_MESSAGES);
    broadcast(room, { event: message.event, payload: message.payload }, request.self ? undefined : member);
    answer('ok');
  };

  return {
    joinRef,
    leave,
    receive(message) {
      const frame = writeBroadcast(client.version, onWire(topic), message);
      if (frame) client.write(frame);
    },
    welcome() {
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
    hear(push) {
      if ('broadcast' in push) return send(push);
      if (push.event === 'presence') return presence.hear(push);
      if (push.event === 'access_token') return renew(tokenOf(record(push.payload).access_token));
    },
    async recheck() {
      // A key's rights change only with the policies themselves; they are asked for at each join.
      if (!request.private || (claims.sub === undefined && !unasked)) return;
      try {
        await admit(claims);
      } catch (error) {
        if (!(error instanceof Unavailable)) end(refusalOf(error, topic));
      }
    },
  };
}
