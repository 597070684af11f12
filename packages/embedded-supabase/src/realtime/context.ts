import type { Access } from './access.ts';
import type { Lines } from './addresses.ts';
import type { Rooms } from './channels.ts';
import type { Message } from './messages.ts';

/** What all sockets share. */
export type Hall = {
  rooms: Rooms;
  access: Access;
  lines: Lines;
  /** Whether clients may use channels that are not private. */
  publicChannels: boolean;
  /** The newest messages of a private topic since a time in ms, oldest first. */
  replay(topic: string, since: number, limit: number): Promise<Message[]>;
};
