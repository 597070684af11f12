import { randomBytes } from 'node:crypto';
import type { TokenBucket } from '../gateway/rate-limits.ts';
import type { Access, ApiKey } from './access.ts';
import type { ClientLimits, ClientLimitsByAddress } from './limits.ts';
import type { StoredMessage } from './messages.ts';
import {
  type Broadcast,
  type Envelope,
  encodeBroadcast,
  encodeMessage,
  type ProtocolVersion,
} from './protocol.ts';

/** One client's socket, as its channels use it. */
export type Client = {
  version: ProtocolVersion;
  apiKey: ApiKey;
  limits: ClientLimits;
  /** Rate limit of its broadcasts and presence calls. */
  eventBucket: TokenBucket;
  readonly isOpen: boolean;
  /** Sends a complete WebSocket frame. */
  writeFrame(frame: Buffer): void;
  send(envelope: Envelope, payload: unknown): void;
  /** Replies to a message of the client. A message without a reference gets no reply. */
  reply(to: Envelope, status: 'ok' | 'error', response: Record<string, unknown>): void;
};

/** State and settings that all sockets share. */
export type SocketContext = {
  channels: Channels;
  access: Access;
  clientLimits: ClientLimitsByAddress;
  /** Whether clients may use channels that are not private. */
  publicChannels: boolean;
  /** Returns the newest messages of a private topic since a Unix time in milliseconds, oldest first. */
  readRecentMessages(topic: string, since: number, limit: number): Promise<StoredMessage[]>;
};

/** One client's join of one channel, as the channel uses it. */
export type Subscriber = {
  version: ProtocolVersion;
  /** Whether it receives presence changes: the client requested them and has permission. */
  readonly receivesPresence: boolean;
  /**
   * Sends a complete WebSocket frame. It must not change the frame, because all subscribers share it.
   * @param id id of the message, if the database sent it
   */
  writeFrame(frame: Buffer, id?: string): void;
};

export type Channel = {
  topic: string;
  private: boolean;
  subscribers: Set<Subscriber>;
  presence: ReturnType<typeof openPresence>;
};

/** Returns the name of a topic in the Phoenix protocol. */
export const phoenixTopic = (topic: string) => `realtime:${topic}`;

type Channels = ReturnType<typeof openChannels>;

/** Creates the list of open channels. The public and the private channel of a topic are separate channels. */
export function openChannels() {
  const channels = { public: new Map<string, Channel>(), private: new Map<string, Channel>() };
  const channelsOf = (isPrivate: boolean) => (isPrivate ? channels.private : channels.public);
  return {
    /** Adds a subscriber, and the channel if it is new. */
    addSubscriber(topic: string, isPrivate: boolean, subscriber: Subscriber): Channel {
      const newChannel = {
        topic,
        private: isPrivate,
        subscribers: new Set<Subscriber>(),
        presence: openPresence(),
      };
      const channel: Channel = channelsOf(isPrivate).get(topic) ?? newChannel;
      channelsOf(isPrivate).set(topic, channel);
      channel.subscribers.add(subscriber);
      return channel;
    },
    /** Removes a subscriber, and the channel after its last one. */
    removeSubscriber(channel: Channel, subscriber: Subscriber): void {
      channel.subscribers.delete(subscriber);
      if (channel.subscribers.size === 0) channelsOf(channel.private).delete(channel.topic);
    },
    find: (topic: string, isPrivate: boolean) => channelsOf(isPrivate).get(topic),
  };
}

/** Sends a message to all subscribers of a channel, or to all but one. */
export function broadcast({ topic, subscribers }: Channel, message: Broadcast, except?: Subscriber): void {
  const frameFor = onePerVersion((version) => encodeBroadcast(version, phoenixTopic(topic), message));
  for (const subscriber of subscribers) {
    if (subscriber === except) continue;
    const frame = frameFor(subscriber.version);
    if (frame) subscriber.writeFrame(frame, message.meta?.id);
  }
}

/** Sends a presence change to the subscribers that listen for it. */
export function broadcastPresence({ topic, subscribers }: Channel, change: unknown): void {
  const envelope = { joinRef: null, ref: null, topic: phoenixTopic(topic), event: 'presence_diff' };
  const frameFor = onePerVersion((version) => encodeMessage(version, envelope, change));
  for (const subscriber of subscribers) {
    if (subscriber.receivesPresence) subscriber.writeFrame(frameFor(subscriber.version));
  }
}

/** Returns a function that makes the frame of a protocol version once, at its first call. */
function onePerVersion<Frame>(
  make: (version: ProtocolVersion) => Frame,
): (version: ProtocolVersion) => Frame {
  const frames = new Map<ProtocolVersion, Frame>();
  return (version) => {
    if (!frames.has(version)) frames.set(version, make(version));
    return frames.get(version) as Frame;
  };
}

/** Presence of one client in Phoenix's format. `phx_ref` identifies this update of it. */
type Meta = Record<string, unknown> & { phx_ref: string; phx_ref_prev?: string };

/** Presences by key. Clients may share a key, such as the tabs of a person. */
export type PresenceState = Record<string, { metas: Meta[] }>;

export type PresenceDiff = { joins: PresenceState; leaves: PresenceState };

/** Prefix of refs, unique per process. Clients remember refs across a restart and would ignore equal ones. */
const refPrefix = randomBytes(6).toString('base64url');
let updateCount = 0;

/** Creates the presence state of a channel, in the format of Phoenix. Each `client` object represents one join. */
export function openPresence() {
  const clients = new Map<object, { key: string; meta: Meta; json: string; bytes: number }>();
  let bytes = 0;
  return {
    /** Number of present clients. */
    get size() {
      return clients.size;
    },
    /** Approximate size of the list of all presences. */
    get bytes() {
      return bytes;
    },
    has: (client: object) => clients.has(client),
    state(): PresenceState {
      const byKey = Map.groupBy(clients.values(), ({ key }) => key);
      return Object.fromEntries(
        [...byKey].map(([key, all]) => [key, { metas: all.map(({ meta }) => meta) }]),
      );
    },
    /** Replaces the presence of a client. @returns the change; undefined if there is none */
    track(client: object, key: string, payload: Record<string, unknown>): PresenceDiff | undefined {
      const previous = clients.get(client);
      const text = JSON.stringify(payload);
      if (previous?.json === text) return undefined;
      updateCount += 1;
      const meta: Meta = { ...payload, phx_ref: `${refPrefix}.${updateCount.toString(36)}` };
      if (previous) meta.phx_ref_prev = previous.meta.phx_ref;
      const ownBytes = Buffer.byteLength(key) + Buffer.byteLength(text);
      bytes += ownBytes - (previous?.bytes ?? 0);
      clients.set(client, { key, meta, json: text, bytes: ownBytes });
      return {
        joins: singlePresence(key, meta),
        leaves: previous ? singlePresence(previous.key, previous.meta) : {},
      };
    },
    /** @returns the change; undefined if the client was not present */
    untrack(client: object): PresenceDiff | undefined {
      const previous = clients.get(client);
      if (!previous) return undefined;
      clients.delete(client);
      bytes -= previous.bytes;
      return { joins: {}, leaves: singlePresence(previous.key, previous.meta) };
    },
  };
}

/** Returns a state with one presence. It is made of entries, because a key may be called `__proto__`. */
const singlePresence = (key: string, meta: Meta): PresenceState =>
  Object.fromEntries([[key, { metas: [meta] }]]);
