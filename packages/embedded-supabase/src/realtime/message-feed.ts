import { setTimeout as wait } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import { Unavailable } from '../engine/errors.ts';
import { log } from '../log/log.ts';
import { type MessageRow, newestPosition, readMessages, readNotice, type StoredMessage } from './messages.ts';

/**
 * A transaction that sends is over within this time: its statements and its pauses are stopped after 10 s each
 * (engine/postgres.ts).
 */
const LONGEST_TRANSACTION_MS = 60_000;

/** Positions of delivered messages, to detect missing ones. */
export class Delivered {
  readonly #times = new Map<number, number>();
  #floor: number;
  #newest: number;

  /** @param floor the newest position there is: what comes is behind it */
  constructor(floor: number) {
    this.#floor = floor;
    this.#newest = floor;
  }

  /** The highest delivered position. */
  get newest(): number {
    return this.#newest;
  }

  /** Nothing at or before this position can be missing. */
  get floor(): number {
    return this.#floor;
  }

  /** @returns false of a message that has been handed on already */
  add(position: number, now: number): boolean {
    if (this.#times.has(position)) return false;
    this.#times.set(position, now);
    this.#newest = Math.max(this.#newest, position);
    return true;
  }

  /**
   * To be called when all that had been committed at a time has been handed on: forgets what was so long before that
   * nothing earlier can have been under way then.
   */
  allUntil(time: number): void {
    for (const [position, at] of this.#times) {
      if (at > time - LONGEST_TRANSACTION_MS) return;
      this.#floor = Math.max(this.#floor, position);
      this.#times.delete(position);
    }
  }
}

/** Read at once where some have gone by: each may be large. */
const AT_ONCE = 20;

/** Between tries to read from a database that is away. */
const PAUSE_MS = 500;

/** A line can be dead without a word, in a machine between us that forgot it: what was missed is late by no more. */
const LOOK_AGAIN_MS = 30_000;

/**
 * Hears what `realtime.send` has committed, in order: none twice, and none left out when the line to the database was
 * lost.
 */
export async function openFeed(
  engine: Engine,
  deliver: (message: StoredMessage) => void,
): Promise<{ close(): Promise<void> }> {
  const closing = new AbortController();
  const delivered = new Delivered(await newestPosition(engine));

  const handOn = ({ position, ...message }: MessageRow) => {
    if (delivered.add(position, performance.now())) deliver(message);
  };

  const read = async (condition: RawBuilder<unknown>, most: number): Promise<MessageRow[]> => {
    for (;;) {
      try {
        return await readMessages(engine, condition, most);
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        await wait(PAUSE_MS, undefined, { signal: closing.signal });
      }
    }
  };

  /** Delivers the committed messages after a position, up to another one, in their order. */
  const deliverAfter = async (position: number, last?: number) => {
    let rows: MessageRow[];
    let after = position;
    do {
      const until = last === undefined ? sql`true` : sql`position <= ${last}`;
      rows = await read(sql`position > ${after} and ${until}`, AT_ONCE);
      rows.forEach(handOn);
      after = rows.at(-1)?.position ?? after;
    } while (rows.length === AT_ONCE);
  };

  const hear = async (text: string) => {
    const notice = readNotice(text);
    const position = typeof notice === 'number' ? notice : notice.position;
    // A renewed connection can bring a notice before it reports that it listens again.
    if (position > delivered.newest + 1) await deliverAfter(delivered.newest, position - 1);
    const rows = typeof notice === 'number' ? await read(sql`position = ${notice}`, 1) : [notice];
    rows.forEach(handOn);
  };

  const lookAgain = async () => {
    const begun = performance.now();
    await deliverAfter(delivered.floor);
    delivered.allUntil(begun);
  };

  let turn = Promise.resolve();
  /** One thing after the other, so that a large message, which has to be read, keeps its place. */
  const inTurn = (work: () => Promise<void>) => {
    turn = turn.then(async () => {
      if (closing.signal.aborted) return;
      try {
        await work();
      } catch (error) {
        if (!closing.signal.aborted) log.error('A message of the database was not delivered.', { error });
      }
    });
  };

  const stop = await engine.listen(
    'realtime',
    (notice) => inTurn(() => hear(notice)),
    () => inTurn(lookAgain),
  );
  const looking = setInterval(() => inTurn(lookAgain), LOOK_AGAIN_MS);
  return {
    async close() {
      clearInterval(looking);
      closing.abort();
      await stop();
      await turn;
    },
  };
}

type Handling<Thing> = {
  handle(thing: Thing): void | Promise<void>;
  /** Something must wait; no more should come until `onFree`. */
  onWaiting(): void;
  onFree(): void;
  /** Forgets the messages queued behind the error. */
  onError(error: unknown): void;
};

/** Handles things in the order that they came in, each when the one before is done. */
export function inOrder<Thing>({
  handle,
  onWaiting,
  onFree,
  onError,
}: Handling<Thing>): (thing: Thing) => void {
  let waiting: Thing[] = [];
  let busy = false;

  const work = async (first: Promise<void>) => {
    try {
      await first;
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await handle(next);
    } catch (error) {
      waiting = [];
      onError(error);
    }
    busy = false;
    onFree();
  };
  return (thing) => {
    if (busy) {
      waiting.push(thing);
      return onWaiting();
    }
    try {
      const done = handle(thing);
      if (!done) return;
      busy = true;
      work(done);
    } catch (error) {
      onError(error);
    }
  };
}
