import { sql } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import { type RequestContext, requestContext } from '../gateway/request-context.ts';
import type { Claims } from '../tokens.ts';

/** Permissions on a topic: receive and send, for messages and presence. */
export type TopicPermissions = Record<'broadcast' | 'presence', { read: boolean; write: boolean }>;

const NONE = { read: false, write: false };

/**
 * What the policies on realtime.messages allow these claims on a private topic: asked inside the database, as that
 * user, and rolled back.
 * @throws DatabaseFault as a request is refused whose session has ended; Unavailable
 */
export async function queryPermissions(
  engine: Engine,
  claims: Claims,
  topic: string,
): Promise<TopicPermissions> {
  // No text of PostgreSQL's holds it: no policy can speak of such a topic.
  if (topic.includes('\0')) return { broadcast: NONE, presence: NONE };
  const context = await contextOf(engine);
  const transaction = await engine.db.startTransaction().execute();
  try {
    const probes = await sql<{ position: string }>`
      insert into realtime.messages (topic, extension)
      select set_config('realtime.topic', ${topic}, true), kind from unnest(array['broadcast', 'presence']) kind
      returning position::text`.execute(transaction);
    await context.enter(transaction, claims);
    const positions = `{${probes.rows.map(({ position }) => position)}}`;
    const { rows } = await sql<{ rights: TopicPermissions }>`
      select realtime.try_rights(${positions}::bigint[]) as rights`.execute(transaction);
    if (!rows[0]) throw new Error('The database answered nothing.');
    return rows[0].rights;
  } finally {
    await transaction.rollback().execute();
  }
}

const contexts = new WeakMap<Engine, Promise<RequestContext>>();

/** The migrations have run before the first join. */
function contextOf(engine: Engine): Promise<RequestContext> {
  const known = contexts.get(engine);
  if (known) return known;
  const context = requestContext(engine);
  const learned = context.learn().then(() => context);
  // After an error the next call tries again.
  learned.catch(() => contexts.delete(engine));
  contexts.set(engine, learned);
  return learned;
}
