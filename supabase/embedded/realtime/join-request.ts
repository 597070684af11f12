import { randomUUID } from 'node:crypto';
import { isName, record } from './wire.ts';

/** What a client asks for when it joins a channel. */
export type JoinRequest = {
  private: boolean;
  /** Wants a reply to each of its messages. */
  ack: boolean;
  /** Wants to hear its own messages. */
  self: boolean;
  presence: {
    enabled: boolean;
    /** What its presence is filed under. */
    key: string;
  };
  /** Messages of before, from a time in ms. */
  replay: { since: number; limit: number } | undefined;
  /** Rows that it wants to hear of, which is not offered. */
  postgresChanges: boolean;
  /** Wants to be told when messages of the database arrive: here they do from the beginning. */
  readyNotice: boolean;
  token: string | undefined;
};

/** Reads a join as Supabase does: what is missing or odd counts as not asked for. */
export function readJoin(payload: unknown): JoinRequest {
  const { config, access_token: token } = record(payload);
  const { broadcast, presence, postgres_changes: changes, private: isPrivate } = record(config);
  const { ack, self, replay, replication_ready: notice } = record(broadcast);
  const { enabled, key } = record(presence);
  return {
    private: isPrivate === true,
    ack: ack === true,
    self: self === true,
    presence: { enabled: enabled !== false, key: isName(key) ? key : randomUUID() },
    replay: readReplay(replay),
    postgresChanges: Array.isArray(changes) && changes.length > 0,
    readyNotice: notice === true,
    token: tokenOf(token),
  };
}

export const tokenOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

function readReplay(replay: unknown): JoinRequest['replay'] {
  const { since, limit } = record(replay);
  if (typeof since !== 'number') return undefined;
  const wanted = typeof limit === 'number' && limit >= 1 ? Math.floor(limit) : Number.POSITIVE_INFINITY;
  // The time is made one of the database's, which has a last one.
  return { since: Math.max(0, Math.min(since, Date.now())), limit: wanted };
}
