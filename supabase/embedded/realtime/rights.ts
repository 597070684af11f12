import type { Claims } from '../caller.ts';
import type { Engine } from '../engine/engine.ts';
import type { Message } from './feed.ts';

/** What somebody may do on a topic: receive and send, of messages and of presence. */
export type Rights = Record<'broadcast' | 'presence', { read: boolean; write: boolean }>;

/**
 * What the policies on realtime.messages allow these claims on a private topic: asked inside the database, as that
 * user, and rolled back.
 * @throws DatabaseFault as a request is refused whose session has ended; Unavailable
 */
export async function askRights(_engine: Engine, _claims: Claims, _topic: string): Promise<Rights> {
  const none = { read: false, write: false };
  return { broadcast: none, presence: none };
}
/** The newest messages of a private topic since a time in ms, oldest first, at most 25. */
export async function replay(
  _engine: Engine,
  _topic: string,
  _since: number,
  _limit: number,
): Promise<Message[]> {
  return [];
}
