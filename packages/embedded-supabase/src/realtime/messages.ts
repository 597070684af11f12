import { type RawBuilder, sql } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import { longRunning } from '../engine/work.ts';
import { hourly } from '../timers.ts';

/** What `realtime.send` has sent. */
export type StoredMessage = {
  id: string;
  topic: string;
  event: string;
  /** JSON text, as the database holds it. */
  payload: string;
  private: boolean;
};

/** A message and its place in the order of the database. */
export type MessageRow = StoredMessage & { position: number };

/** Reads messages that were sent, and no rows that rights were tried with. */
export async function readMessages(
  { db }: Engine,
  condition: RawBuilder<unknown>,
  limit: number,
  order = sql`position`,
): Promise<MessageRow[]> {
  const { rows } = await sql<MessageRow>`
    select position::float8 as position, id, topic, event, coalesce(payload, 'null')::text as payload,
      coalesce(private, true) as private
    from realtime.messages
    where extension = 'broadcast' and event is not null and ${condition}
    order by ${order} limit ${limit}`.execute(db);
  return rows;
}

/** The position of the newest message; 0 where there is none. */
export async function newestPosition({ db }: Engine): Promise<number> {
  const { rows } = await sql<{ position: number }>`
    select coalesce(max(position), 0)::float8 as position from realtime.messages`.execute(db);
  return rows[0]?.position ?? 0;
}

/** As the trigger `announce` writes it: the message, or its position alone where it is too large. */
export function readNotice(notice: string): MessageRow | number {
  const end = notice.indexOf('\n');
  if (end < 0) return Number(notice);
  const [position, id, topic, event, isPrivate] = JSON.parse(notice.slice(0, end));
  return { position, id, topic, event, payload: notice.slice(end + 1), private: isPrivate };
}

/** Most messages that are replayed to one join: hosted's number. */
const REPLAYED = 25;

/**
 * The newest messages of a private topic, oldest first.
 * @param since in ms; as Realtime has it, by the beginning of the transactions that sent them
 * @param limit at most 25
 */
export async function replay(
  engine: Engine,
  topic: string,
  since: number,
  limit: number,
): Promise<StoredMessage[]> {
  const filter = sql`topic = ${topic} and private is not false
    and inserted_at > to_timestamp(${since}::float8 / 1000) at time zone 'UTC'`;
  // By the time first: there is an index of that.
  const newest = sql`inserted_at desc, position desc`;
  const rows = await readMessages(engine, filter, Math.min(limit, REPLAYED), newest);
  return rows.sort((a, b) => a.position - b.position).map(({ position, ...message }) => message);
}

/** As a hosted project keeps them. */
const KEPT = '3 days';

/** Deletes the messages that are too old to be replayed, and gives back the room of those that rights were tried with. */
export async function deleteOldMessages(engine: Engine): Promise<void> {
  await engine.exec(
    `delete from realtime.messages where inserted_at < now() at time zone 'UTC' - interval '${KEPT}'`,
  );
  await engine.reclaim('realtime.messages');
}

export const limitMessageHistory = (engine: Engine) =>
  hourly(
    17,
    () => longRunning('deleting old messages', () => deleteOldMessages(engine)),
    'Old messages were not deleted.',
  );
