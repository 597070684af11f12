import type { Queries } from './queries.ts';
import { fill, openSeeded, type Seeded } from './seed.ts';
import {
  answerReader,
  type MeasuredDatabase,
  openMeasuredDatabase,
  type Touched,
  touchedBy,
} from './statements.ts';

/** Two coverages in one database, so that indexes are as deep for both: one stays at a hundred updates, one grows. */
export type Growing = {
  measured: MeasuredDatabase;
  short: Seeded;
  /** Of a hundred updates too, until it is grown. */
  long: Seeded;
  grow(upTo: number): Promise<void>;
  /** Lets the planner look: `vacuum` counts the rows and knows no value of them, as after a restore; `analyze` does. */
  updateStatistics(how: 'vacuum' | 'analyze'): Promise<void>;
  /** What asking as a coverage does touches. The first time of all is not told of: it reads what is remembered from then on. */
  touched(query: Queries[string], coverage: Seeded): Promise<Touched>;
  close(): Promise<void>;
};

const SHORT = 100;

export async function openGrowing(data: string): Promise<Growing> {
  const measured = await openMeasuredDatabase(data);
  const { engine, lite, statementsOf } = measured;
  const stopAnswering = answerReader(lite);
  const fillUp = (coverage: Seeded, upTo: number) =>
    engine.transaction((session) => fill(session, coverage, upTo));
  const open = async (name: string) =>
    fillUp(await engine.transaction((session) => openSeeded(session, name)), SHORT);
  const warmedUp = new Set<Queries[string]>();
  const growing: Growing = {
    measured: measured,
    short: await open('short'),
    long: await open('long'),
    async grow(upTo) {
      growing.long = await fillUp(growing.long, upTo);
    },
    async updateStatistics(how) {
      await engine.execOutsideTransaction(how);
      // What a session remembers of its tables is gone with it.
      warmedUp.clear();
    },
    async touched(query, coverage) {
      if (!warmedUp.has(query)) await query(coverage);
      warmedUp.add(query);
      // Every fortieth press puts in its place what waits for an index of words: here none does.
      await engine.exec(
        "select gin_clean_pending_list('private.update_words_index'), gin_clean_pending_list('private.search_index_words')",
      );
      return touchedBy(await statementsOf(() => query(coverage)));
    },
    async close() {
      stopAnswering();
      await engine.close();
    },
  };
  return growing;
}

/**
 * Page borders and the depth of an index cost a few pages; a second row of a tiny table here and there, a few rows. What
 * is read by a bitmap counts twice: first in the index.
 */
const SOME = { rows: 16, buffers: 20 };
const SHARE = 1.25;

/** Does one touch no more than the other, but for what the place of a row makes of it? */
export function isLike(one: Touched, other: Touched): boolean {
  return one.rows <= other.rows * SHARE + SOME.rows && one.buffers <= other.buffers * SHARE + SOME.buffers;
}
