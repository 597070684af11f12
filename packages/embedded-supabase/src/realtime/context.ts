import type { TokenBucket } from '../gateway/rate-limits.ts';
import type { Access, KeyHolder } from './access.ts';
import type { Channels } from './channels.ts';
import type { ClientLimits, ClientLimitsByAddress } from './limits.ts';
import type { StoredMessage } from './messages.ts';
import type { Envelope, ProtocolVersion } from './protocol.ts';

/** A socket as its channels see it. */
export type Client = {
  version: ProtocolVersion;
  who: KeyHolder;
  limits: ClientLimits;
  /** Its broadcasts and presence calls. */
  events: TokenBucket;
  readonly open: boolean;
  /** Takes a whole WebSocket frame. */
  write(frame: Buffer): void;
  say(envelope: Envelope, payload: unknown): void;
  /** Answers what the client said; a client that gave no reference waits for no answer. */
  reply(to: Envelope, status: 'ok' | 'error', response: Record<string, unknown>): void;
};

export const tokenOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

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
