import type { Access } from './access.ts';
import type { ClientLimitsByAddress } from './addresses.ts';
import type { Channels } from './channels.ts';
import type { StoredMessage } from './messages.ts';

/** What all sockets share. */
export type SocketContext = {
  channels: Channels;
  access: Access;
  clientLimits: ClientLimitsByAddress;
  /** Whether clients may use channels that are not private. */
  publicChannels: boolean;
  /** The newest messages of a private topic since a time in ms, oldest first. */
  replay(topic: string, since: number, limit: number): Promise<StoredMessage[]>;
};
