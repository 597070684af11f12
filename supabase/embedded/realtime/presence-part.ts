import type { Client } from './client.ts';
import type { JoinRequest } from './join-request.ts';
import { DELIVERY_BYTES, PRESENCE_BYTES, PRESENCE_CALLS, PRESENCES_PER_ROOM } from './limits.ts';
import type { Diff } from './presence.ts';
import { TOO_MANY_MESSAGES } from './refusal.ts';
import type { Rights } from './rights.ts';
import { type Member, type Room, tellPresence } from './rooms.ts';
import { type Push, record } from './wire.ts';

/** The part of a join that says who is there. */
export type PresencePart = {
  /** Whether the client wants to hear who comes and goes. */
  readonly enabled: boolean;
  hear(push: Push): void;
  /** Sends the client the list of all, which its list begins with. */
  welcome(): void;
  /** It is there no longer. */
  leave(): void;
};

type Joined = {
  client: Client;
  room: Room;
  member: Member;
  request: JoinRequest;
  rights(): Rights['presence'];
  /** What the client's presence is filed under now. */
  key(): string;
  say(event: string, payload: unknown): void;
  end(message: string): void;
};

export function presencePart({ client, room, member, request, rights, key, say, end }: Joined): PresencePart {
  let enabled = request.presence.enabled;
  let calls: number[] = [];

  const tell = (change: Diff | undefined) => change && tellPresence(room, change);
  const welcome = () => {
    if (!member.hearsPresence) return;
    if (!client.line.deliver(room.presence.bytes + DELIVERY_BYTES)) return end(TOO_MANY_MESSAGES);
    say('presence_state', room.presence.everybody());
  };

  const track = (push: Push, said: unknown) => {
    const refuse = (reason: string) => client.reply(push, 'error', { reason });
    if (!rights().write) return refuse('Unauthorized: You do not have permissions to track presence');
    if (typeof said !== 'object' || said === null || Array.isArray(said)) {
      return refuse('Presence track payload must be a map');
    }
    const bytes = Buffer.byteLength(JSON.stringify(said));
    if (bytes > PRESENCE_BYTES) return end('Track message size exceeded');
    if (room.presence.size >= PRESENCES_PER_ROOM && !room.presence.has(member)) {
      return refuse('Too many presences in this channel');
    }
    if (!client.line.deliver(room.members.size * (bytes + DELIVERY_BYTES))) return end(TOO_MANY_MESSAGES);
    const change = room.presence.track(member, key(), record(said));
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
    get enabled() {
      return enabled;
    },
    welcome,
    leave: () => tell(room.presence.untrack(member)),
    hear(push) {
      if (!client.events.take()) return end(TOO_MANY_MESSAGES);
      if (!mayCall()) return end('Client presence rate limit exceeded');
      const { event, payload } = record(push.payload);
      const call = String(event).toLowerCase();
      if (call === 'track') return track(push, payload ?? {});
      if (call !== 'untrack') return client.reply(push, 'error', { reason: 'Unknown presence event' });
      client.reply(push, 'ok', {});
      tell(room.presence.untrack(member));
    },
  };
}
