import { setTimeout as wait } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import { Unavailable } from '../engine/unavailable.ts';
import { log } from '../log.ts';
import { type Message, newestPosition, type Row, readMessages, readNotice } from './messages.ts';
import { Delivered } from './messages-delivered.ts';

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
  deliver: (message: Message) => void,
): Promise<{ close(): Promise<void> }> {
  const closing = new AbortController();
  const delivered = new Delivered(await newestPosition(engine));

  const handOn = ({ position, ...message }: Row) => {
    if (delivered.add(position, performance.now())) deliver(message);
  };

  const read = async (condition: RawBuilder<unknown>, most: number): Promise<Row[]> => {
    for (;;) {
      try {
        return await readMessages(engine, condition, most);
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        await wait(PAUSE_MS, undefined, { signal: closing.signal });
      }
    }
  };

  const hear = async (text: string) => {
    const notice = readNotice(text);
    const rows = typeof notice === 'number' ? await read(sql`position = ${notice}`, 1) : [notice];
    rows.forEach(handOn);
  };

  const lookAgain = async () => {
    const begun = performance.now();
    let rows: Row[];
    let behind = delivered.floor;
    do {
      rows = await read(sql`position > ${behind}`, AT_ONCE);
      rows.forEach(handOn);
      behind = rows.at(-1)?.position ?? behind;
    } while (rows.length === AT_ONCE);
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
