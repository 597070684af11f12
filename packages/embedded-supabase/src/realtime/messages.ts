import { setTimeout as wait } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import { UnavailableError } from '../engine/errors.ts';
import { runWithoutTimeLimit } from '../engine/work.ts';
import { backendLog } from '../log/log.ts';
import { runHourly } from '../timers.ts';

/** A message that was sent with `realtime.send` or `realtime.send_binary`. */
export type StoredMessage = {
  id: string;
  topic: string;
  event: string;
  /** JSON text, as the database holds it, or bytes. */
  payload: string | Uint8Array;
  private: boolean;
};

/** A message and its position in the order of the database. */
type MessageRow = StoredMessage & { position: number };

/** Reads sent messages. Skips rows of the kind that permission queries insert. */
async function readMessages(
  { db }: Engine,
  condition: RawBuilder<unknown>,
  limit: number,
  order = sql`position`,
): Promise<MessageRow[]> {
  const { rows } = await sql<MessageRow & { payload: string; binary: boolean }>`
    select position::float8 as position, id, topic, event, coalesce(private, true) as private,
      coalesce(encode(binary_payload, 'base64'), payload::text, 'null') as payload,
      binary_payload is not null as binary
    from realtime.messages
    where extension = 'broadcast' and event is not null and ${condition}
    order by ${order} limit ${limit}`.execute(db);
  return rows.map(({ binary, ...message }) => ({
    ...message,
    payload: readPayload(message.payload, binary),
  }));
}

/** @param isBinary whether the text is the base64 of bytes, and not JSON */
const readPayload = (text: string, isBinary: boolean) => (isBinary ? Buffer.from(text, 'base64') : text);

/** Returns the positions of the first messages after a position, in order. Much faster than reading the messages. */
async function readPositions({ db }: Engine, after: number, limit: number): Promise<number[]> {
  const { rows } = await sql<{ position: number }>`
    select position::float8 as position from realtime.messages
    where extension = 'broadcast' and event is not null and position > ${after}
    order by realtime.messages.position limit ${limit}`.execute(db);
  return rows.map(({ position }) => position);
}

/** Returns the position of the newest message; 0 if there is none. */
async function newestPosition({ db }: Engine): Promise<number> {
  const { rows } = await sql<{ position: number }>`
    select coalesce(max(position), 0)::float8 as position from realtime.messages`.execute(db);
  return rows[0]?.position ?? 0;
}

/** Parses a notification of the trigger `announce`: the message, or its position if the message is too large. */
function readNotice(notice: string): MessageRow | number {
  const end = notice.indexOf('\n');
  if (end < 0) return Number(notice);
  const [position, id, topic, event, isPrivate, isBinary] = JSON.parse(notice.slice(0, end));
  const payload = readPayload(notice.slice(end + 1), isBinary);
  return { position, id, topic, event, payload, private: isPrivate };
}

/** Maximum number of messages that are replayed to one join, as on a hosted project. */
const MAX_REPLAYED = 25;

/**
 * Returns the newest messages of a private topic, oldest first, at most 25.
 * @param since Unix time in milliseconds, compared with the start of the messages' transactions
 */
export async function readRecentMessages(
  engine: Engine,
  topic: string,
  since: number,
  limit: number,
): Promise<StoredMessage[]> {
  const filter = sql`topic = ${topic} and private is not false
    and inserted_at > to_timestamp(${since}::float8 / 1000) at time zone 'UTC'`;
  // Sorted by time first, because there is an index on it.
  const newest = sql`inserted_at desc, position desc`;
  const rows = await readMessages(engine, filter, Math.min(limit, MAX_REPLAYED), newest);
  return rows.sort((a, b) => a.position - b.position).map(({ position, ...message }) => message);
}

/** How long messages are stored, as on a hosted project. */
const RETENTION = '3 days';

/** Deletes messages that are too old to be replayed, and frees the space of rolled back permission queries. */
export async function deleteOldMessages(engine: Engine): Promise<void> {
  await engine.exec(
    `delete from realtime.messages where inserted_at < now() at time zone 'UTC' - interval '${RETENTION}'`,
  );
  await engine.reclaim('realtime.messages');
}

export const scheduleMessageCleanup = (engine: Engine) =>
  runHourly(
    17,
    () => runWithoutTimeLimit('deleting old messages', () => deleteOldMessages(engine)),
    'Old messages were not deleted.',
  );

/**
 * Maximum duration of a transaction. PostgreSQL stops each statement and each pause after 10 s (engine/postgres.ts).
 */
const LONGEST_TRANSACTION_MS = 60_000;

/** Positions of delivered messages, to detect missing ones. */
export class DeliveredPositions {
  readonly #times = new Map<number, number>();
  #floor: number;
  #newest: number;

  /** @param floor position of the newest existing message */
  constructor(floor: number) {
    this.#floor = floor;
    this.#newest = floor;
  }

  /** The highest delivered position. */
  get newest(): number {
    return this.#newest;
  }

  /** No message at or before this position can be missing. */
  get floor(): number {
    return this.#floor;
  }

  /** Whether the message at a position above the floor was delivered. */
  has = (position: number): boolean => this.#times.has(position);

  /** Records the delivery of a message. @returns false if the message was already delivered */
  add(position: number, now: number): boolean {
    if (this.#times.has(position)) return false;
    this.#times.set(position, now);
    this.#newest = Math.max(this.#newest, position);
    return true;
  }

  /**
   * Raises the floor to positions that are so old that no transaction with a lower one can still be open. Call it when
   * all messages until `time` were delivered.
   */
  raiseFloor(time: number): void {
    for (const [position, deliveredAt] of this.#times) {
      if (deliveredAt > time - LONGEST_TRANSACTION_MS) return;
      this.#floor = Math.max(this.#floor, position);
      this.#times.delete(position);
    }
  }
}

/** Number of missed messages that one query reads. Each may be large. */
const BATCH_SIZE = 20;

/** Number of positions that one check compares: far more than are sent within `LONGEST_TRANSACTION_MS`. */
const MAX_POSITIONS = 1_000;

/** Milliseconds between attempts to read from an unavailable database. */
const PAUSE_MS = 500;

/**
 * Milliseconds between checks for missed messages, and so their maximum delay. A connection can break silently, when a
 * network device between backend and database forgets it.
 */
const CHECK_INTERVAL_MS = 30_000;

/** Delivers the committed messages of the database in order, each once, also after a lost connection. */
export async function openMessageFeed(
  engine: Engine,
  deliver: (message: StoredMessage) => void,
): Promise<{ close(): Promise<void> }> {
  const abortController = new AbortController();
  const delivered = new DeliveredPositions(await newestPosition(engine));

  const deliverOnce = ({ position, ...message }: MessageRow) => {
    if (delivered.add(position, performance.now())) deliver(message);
  };

  const retry = async <Result>(read: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      try {
        return await read();
      } catch (error) {
        if (!(error instanceof UnavailableError)) throw error;
        await wait(PAUSE_MS, undefined, { signal: abortController.signal });
      }
    }
  };

  const readWithRetry = (condition: RawBuilder<unknown>, limit: number): Promise<MessageRow[]> =>
    retry(() => readMessages(engine, condition, limit));

  /** Delivers the committed messages after a position, up to another one, in their order. */
  const deliverAfter = async (position: number, lastPosition?: number) => {
    let rows: MessageRow[];
    let after = position;
    do {
      const upperBound = lastPosition === undefined ? sql`true` : sql`position <= ${lastPosition}`;
      rows = await readWithRetry(sql`position > ${after} and ${upperBound}`, BATCH_SIZE);
      rows.forEach(deliverOnce);
      after = rows.at(-1)?.position ?? after;
    } while (rows.length === BATCH_SIZE);
  };

  const handleNotice = async (text: string) => {
    const notice = readNotice(text);
    const position = typeof notice === 'number' ? notice : notice.position;
    // After a reconnect, a notification can arrive before `onListening` runs.
    if (position > delivered.newest + 1) await deliverAfter(delivered.newest, position - 1);
    const rows = typeof notice === 'number' ? await readWithRetry(sql`position = ${notice}`, 1) : [notice];
    rows.forEach(deliverOnce);
  };

  /** Later messages wait meanwhile, so it reads only positions while no message is missing. */
  const deliverMissed = async () => {
    const startedAt = performance.now();
    const positions = await retry(() => readPositions(engine, delivered.floor, MAX_POSITIONS));
    const missed = positions.findIndex((position) => !delivered.has(position));
    const compared = missed < 0 ? positions : positions.slice(0, missed);
    if (missed >= 0 || positions.length === MAX_POSITIONS)
      await deliverAfter(compared.at(-1) ?? delivered.floor);
    delivered.raiseFloor(startedAt);
  };

  let lastTask = Promise.resolve();
  /** Runs tasks in order, so that a large message, which must be read from the database, keeps its place. */
  const enqueue = (task: () => Promise<void>) => {
    lastTask = lastTask.then(async () => {
      if (abortController.signal.aborted) return;
      try {
        await task();
      } catch (error) {
        if (!abortController.signal.aborted)
          backendLog.error('A message of the database was not delivered.', { error });
      }
    });
  };

  const stop = await engine.listen(
    'realtime',
    (notice) => enqueue(() => handleNotice(notice)),
    () => enqueue(deliverMissed),
  );
  const checkTimer = setInterval(() => enqueue(deliverMissed), CHECK_INTERVAL_MS);
  return {
    async close() {
      clearInterval(checkTimer);
      abortController.abort();
      await stop();
      await lastTask;
    },
  };
}
