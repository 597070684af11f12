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

/** What a client asks for when it joins a channel. */
export type JoinRequest = {
  private: boolean;
  /** Wants a reply to each of its messages. */
  ack: boolean;
  /** Wants to hear its own messages. */
  self: boolean;
  presence: {
    enabled: boolean;
    /** Key of its presence. */
    key: string;
  };
  /** Messages of before, from a time in ms. */
  replay: { since: number; limit: number } | undefined;
  /** Rows that it wants to hear of, which is not offered. */
  postgresChanges: boolean;
  /** Requests a notice when database messages are ready. Here they always are. */
  readyNotice: boolean;
  token: string | undefined;
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
