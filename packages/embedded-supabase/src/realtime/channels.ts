import { randomBytes } from 'node:crypto';
import { type Broadcast, type ProtocolVersion, writeBroadcast, writeMessage } from './protocol.ts';

/** One join of a client, as the others in the room know it. */
export type Subscriber = {
  version: ProtocolVersion;
  /** Whether it wants to hear who comes and goes, and may. */
  readonly hearsPresence: boolean;
  /**
   * Takes a whole WebSocket frame, which it must not change: all members get the same one.
   * @param id of a message of the database
   */
  write(frame: Buffer, id?: string): void;
};

export type Channel = {
  topic: string;
  private: boolean;
  subscribers: Set<Subscriber>;
  presence: ChannelPresence;
};

/** The public and the private channel of one name are two rooms. */
export type Channels = {
  /** The room, with this member in it. */
  enter(topic: string, isPrivate: boolean, subscriber: Subscriber): Channel;
  leave(channel: Channel, subscriber: Subscriber): void;
  /** A channel without subscribers is deleted. */
  find(topic: string, isPrivate: boolean): Channel | undefined;
};

/** Names of topics in the protocol. */
export const wireName = (topic: string) => `realtime:${topic}`;

export function openChannels(): Channels {
  const channels = { public: new Map<string, Channel>(), private: new Map<string, Channel>() };
  const of = (isPrivate: boolean) => (isPrivate ? channels.private : channels.public);
  return {
    enter(topic, isPrivate, subscriber) {
      const known = of(isPrivate).get(topic);
      const channel = known ?? {
        topic,
        private: isPrivate,
        subscribers: new Set(),
        presence: openPresence(),
      };
      if (!known) of(isPrivate).set(topic, channel);
      channel.subscribers.add(subscriber);
      return channel;
    },
    leave(channel, subscriber) {
      channel.subscribers.delete(subscriber);
      if (channel.subscribers.size === 0) of(channel.private).delete(channel.topic);
    },
    find: (topic, isPrivate) => of(isPrivate).get(topic),
  };
}

/** Sends a message to all subscribers of a channel, or to all but one. */
export function broadcast({ topic, subscribers }: Channel, message: Broadcast, except?: Subscriber): void {
  const frameFor = onePerVersion((version) => writeBroadcast(version, wireName(topic), message));
  for (const subscriber of subscribers) {
    if (subscriber === except) continue;
    const frame = frameFor(subscriber.version);
    if (frame) subscriber.write(frame, message.meta?.id);
  }
}

/** Sends a presence change to the subscribers that listen for it. */
export function broadcastPresence({ topic, subscribers }: Channel, change: unknown): void {
  const envelope = { joinRef: null, ref: null, topic: wireName(topic), event: 'presence_diff' };
  const frameFor = onePerVersion((version) => writeMessage(version, envelope, change));
  for (const subscriber of subscribers) {
    if (subscriber.hearsPresence) subscriber.write(frameFor(subscriber.version));
  }
}

/** Frames are made when the first member wants one, and then never again. */
function onePerVersion<Frame>(
  make: (version: ProtocolVersion) => Frame,
): (version: ProtocolVersion) => Frame {
  const made = new Map<ProtocolVersion, Frame>();
  return (version) => {
    const known = made.get(version);
    if (known !== undefined || made.has(version)) return known as Frame;
    const frame = make(version);
    made.set(version, frame);
    return frame;
  };
}

/** Presence of one client in Phoenix's format. `phx_ref` identifies this update of it. */
type Meta = Record<string, unknown> & { phx_ref: string; phx_ref_prev?: string };

/** Presences by key. Clients may share a key, such as the tabs of a person. */
export type PresenceState = Record<string, { metas: Meta[] }>;

export type Diff = { joins: PresenceState; leaves: PresenceState };

/** Presence of a channel, in the format of Phoenix. */
type ChannelPresence = {
  /** How many clients say that they are there. */
  readonly size: number;
  everybody(): PresenceState;
  /** Approximate size of the list of all presences. */
  readonly bytes: number;
  /** Whether this client says that it is there. */
  has(client: object): boolean;
  /**
   * A client says something of itself, in place of what it said before.
   * @param client stands for one join
   * @returns what has changed, or undefined when it says the same again
   */
  track(client: object, key: string, said: Record<string, unknown>): Diff | undefined;
  /** @returns what has changed, or undefined when the client was not there */
  untrack(client: object): Diff | undefined;
};

/** A client that comes back after a restart still knows the refs of before, and takes the same ref for the same words. */
const process = randomBytes(6).toString('base64url');
let updates = 0;

export function openPresence(): ChannelPresence {
  const clients = new Map<object, { key: string; meta: Meta; said: string; bytes: number }>();
  let bytes = 0;
  return {
    get size() {
      return clients.size;
    },
    get bytes() {
      return bytes;
    },
    has: (client) => clients.has(client),
    everybody() {
      const metas = new Map<string, Meta[]>();
      for (const { key, meta } of clients.values()) {
        const others = metas.get(key);
        if (others) others.push(meta);
        else metas.set(key, [meta]);
      }
      return Object.fromEntries([...metas].map(([key, all]) => [key, { metas: all }]));
    },
    track(client, key, said) {
      const before = clients.get(client);
      const text = JSON.stringify(said);
      if (before?.said === text) return undefined;
      updates += 1;
      const meta: Meta = { ...said, phx_ref: `${process}.${updates.toString(36)}` };
      if (before) meta.phx_ref_prev = before.meta.phx_ref;
      const own = Buffer.byteLength(key) + Buffer.byteLength(text);
      bytes += own - (before?.bytes ?? 0);
      clients.set(client, { key, meta, said: text, bytes: own });
      return { joins: one(key, meta), leaves: before ? one(before.key, before.meta) : {} };
    },
    untrack(client) {
      const before = clients.get(client);
      if (!before) return undefined;
      clients.delete(client);
      bytes -= before.bytes;
      return { joins: {}, leaves: one(before.key, before.meta) };
    },
  };
}

/** Made of entries, because a key may be called `__proto__`. */
const one = (key: string, meta: Meta): PresenceState => Object.fromEntries([[key, { metas: [meta] }]]);
