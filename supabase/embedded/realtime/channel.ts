import { logFault } from '../answers.ts';
import type { Claims } from '../caller.ts';
import { Unavailable } from '../engine/unavailable.ts';
import { afterLong, type LongTimer } from '../long-timer.ts';
import { EVERYTHING } from './access.ts';
import type { Client } from './client.ts';
import type { Hall } from './hall.ts';
import { type JoinRequest, tokenOf } from './join-request.ts';
import { DELIVERY_BYTES, PAYLOAD_BYTES } from './limits.ts';
import type { Message } from './messages.ts';
import { presencePart } from './presence-part.ts';
import { isSignedOut, refusalOf, TOO_MANY_MESSAGES } from './refusal.ts';
import type { Rights } from './rights.ts';
import { broadcast, type Member, onWire } from './rooms.ts';
import { type BroadcastPush, type Push, record, writeBroadcast } from './wire.ts';

/** One join of one socket: a client that is in a room. */
export type Channel = {
  joinRef: string | null;
  /** It has ended by itself, or was left. */
  readonly over: boolean;
  /** Handles what the client says on it. */
  hear(push: Push | BroadcastPush): void | Promise<void>;
  /** Tells the client, once it knows that it has joined, what there is to know: these messages of before, and all since. */
  welcome(before: Message[]): void;
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
  /** The database gave no answer when it was asked about these claims. */
  let unasked = false;
  let expiry: LongTimer | undefined;
  /** What has come before the client was welcome. */
  let held: { frame: Buffer; id: string | undefined }[] | undefined = [];

  const member: Member = {
    version: client.version,
    get hearsPresence() {
      return !held && presence.enabled && rights.presence.read;
    },
    write(frame, id) {
      if (held) held.push({ frame, id });
      else client.write(frame);
    },
  };
  const room = hall.rooms.enter(topic, request.private, member);
  const say = (event: string, payload: unknown, ref: string | null = null) =>
    client.say({ joinRef, ref, topic: onWire(topic), event }, payload);

  const leave = () => {
    if (left) return;
    left = true;
    expiry?.stop();
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

  // Others show a key as the person: in a private channel a signed-in client has its own id, whatever key it asks for.
  // Supabase's own server takes any key.
  const key = () => (request.private && claims.sub ? claims.sub : request.presence.key);
  const presenceRights = () => rights.presence;
  const presence = presencePart({ client, room, member, request, rights: presenceRights, key, say, end });

  const watchExpiry = () => {
    expiry?.stop();
    if (claims.exp === undefined) return;
    // A token lives a week at most (config.ts), but for one of a clock that was ahead.
    expiry = afterLong(claims.exp * 1000 - Date.now(), () => end('Token has expired'));
  };
  watchExpiry();

  const ask = async (wanted: Claims): Promise<{ may: Rights } | { error: unknown }> => {
    try {
      return { may: request.private ? await hall.access.rights(wanted, topic) : EVERYTHING };
    } catch (error) {
      return { error };
    }
  };

  /** Asks what these claims may do here, and ends the channel when it is not enough. */
  const admit = async (wanted: Claims): Promise<void> => {
    const answer = await ask(wanted);
    // Another token has come meanwhile, and is asked about itself.
    if (left || wanted !== claims) return;
    if ('error' in answer) {
      const { error } = answer;
      if (isSignedOut(error)) return end(refusalOf(error, topic));
      // Whom a channel is closed to does not come back: what is wrong with the database is over soon, or mended.
      if (!unasked && !(error instanceof Unavailable)) logFault(error);
      unasked = true;
      return;
    }
    const { may } = answer;
    unasked = false;
    if (!may.broadcast.read) {
      return end(`You no longer have permission to read from this Channel topic: ${topic}`);
    }
    const heard = member.hearsPresence;
    rights = may;
    if (!may.presence.write) presence.leave();
    // Who came and went meanwhile it was not told.
    if (!heard) presence.welcome();
  };

  const renew = async (given: string | undefined): Promise<void> => {
    if (!given || given === token) return;
    if (!client.line.join()) return end(TOO_MANY_MESSAGES);
    token = given;
    const before = claims;
    try {
      claims = await hall.access.claims(client.who, given);
    } catch (error) {
      return end(refusalOf(error, topic));
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
    // Supabase's answer to this is none.
    if (!rights.broadcast.write) return;
    if (!client.line.deliver(room.members.size * (bytes + DELIVERY_BYTES))) return end(TOO_MANY_MESSAGES);
    broadcast(room, { event: message.event, payload: message.payload }, request.self ? undefined : member);
    answer('ok');
  };

  return {
    joinRef,
    get over() {
      return left;
    },
    leave,
    welcome(before) {
      for (const { id, event, payload } of before) {
        const message = { event, payload, meta: { replayed: true, id } };
        const frame = writeBroadcast(client.version, onWire(topic), message);
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
    hear(push) {
      if ('broadcast' in push) return send(push);
      if (push.event === 'presence') return presence.hear(push);
      if (push.event === 'access_token') return renew(tokenOf(record(push.payload).access_token));
    },
    async recheck() {
      // A key's rights change only with the policies themselves; they are asked for at each join.
      if (request.private && (claims.sub !== undefined || unasked)) await admit(claims);
    },
  };
}
