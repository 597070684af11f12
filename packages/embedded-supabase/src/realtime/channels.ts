import { openPresence, type Presence } from './presence.ts';
import { type Broadcast, type Version, writeBroadcast, writeMessage } from './protocol.ts';

/** One join of a client, as the others in the room know it. */
export type Member = {
  version: Version;
  /** Whether it wants to hear who comes and goes, and may. */
  readonly hearsPresence: boolean;
  /**
   * Takes a whole WebSocket frame, which it must not change: all members get the same one.
   * @param id of a message of the database
   */
  write(frame: Buffer, id?: string): void;
};

export type Room = {
  topic: string;
  private: boolean;
  members: Set<Member>;
  presence: Presence;
};

/** The public and the private channel of one name are two rooms. */
export type Rooms = {
  /** The room, with this member in it. */
  enter(topic: string, isPrivate: boolean, member: Member): Room;
  leave(room: Room, member: Member): void;
  /** Nobody's room is not there. */
  find(topic: string, isPrivate: boolean): Room | undefined;
};

/** What topics are called between us and clients. */
export const onWire = (topic: string) => `realtime:${topic}`;

export function openRooms(): Rooms {
  const rooms = { public: new Map<string, Room>(), private: new Map<string, Room>() };
  const of = (isPrivate: boolean) => (isPrivate ? rooms.private : rooms.public);
  return {
    enter(topic, isPrivate, member) {
      const known = of(isPrivate).get(topic);
      const room = known ?? { topic, private: isPrivate, members: new Set(), presence: openPresence() };
      if (!known) of(isPrivate).set(topic, room);
      room.members.add(member);
      return room;
    },
    leave(room, member) {
      room.members.delete(member);
      if (room.members.size === 0) of(room.private).delete(room.topic);
    },
    find: (topic, isPrivate) => of(isPrivate).get(topic),
  };
}

/** Sends a message to everybody in a room, or to all others. */
export function broadcast({ topic, members }: Room, message: Broadcast, except?: Member): void {
  const frameFor = onePerVersion((version) => writeBroadcast(version, onWire(topic), message));
  for (const member of members) {
    if (member === except) continue;
    const frame = frameFor(member.version);
    if (frame) member.write(frame, message.meta?.id);
  }
}

/** Tells everybody in a room who wants to know of it that somebody came or went. */
export function tellPresence({ topic, members }: Room, change: unknown): void {
  const envelope = { joinRef: null, ref: null, topic: onWire(topic), event: 'presence_diff' };
  const frameFor = onePerVersion((version) => writeMessage(version, envelope, change));
  for (const member of members) {
    if (member.hearsPresence) member.write(frameFor(member.version));
  }
}

/** Frames are made when the first member wants one, and then never again. */
function onePerVersion<Frame>(make: (version: Version) => Frame): (version: Version) => Frame {
  const made = new Map<Version, Frame>();
  return (version) => {
    const known = made.get(version);
    if (known !== undefined || made.has(version)) return known as Frame;
    const frame = make(version);
    made.set(version, frame);
    return frame;
  };
}
