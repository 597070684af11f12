import { type ChannelPresence, openPresence } from './presence.ts';
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
