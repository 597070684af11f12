import type { Queries } from './queries.ts';
import { createSeededCoverage, insertUpdates, type SeededCoverage } from './seed.ts';
import {
  interceptReaderRequests,
  type MeasuredDatabase,
  openMeasuredDatabase,
  type StatementCost,
  totalCost,
} from './statements.ts';

/**
 * Two coverages in one database, so that their indexes have the same depth. One keeps a hundred updates, the other
 * grows.
 */
export type GrowingDatabase = {
  measured: MeasuredDatabase;
  short: SeededCoverage;
  /** Starts with a hundred updates. */
  long: SeededCoverage;
  grow(upTo: number): Promise<void>;
  /**
   * Updates the planner's statistics. `vacuum` only counts rows, as after a restore. `analyze` also reads values.
   */
  updateStatistics(how: 'vacuum' | 'analyze'): Promise<void>;
  /**
   * Returns the rows and pages that a query touches. The first run of each query warms the session's caches and is not
   * measured.
   */
  costOf(query: Queries[string], coverage: SeededCoverage): Promise<StatementCost>;
  close(): Promise<void>;
};

const SHORT = 100;

export async function openGrowingDatabase(data: string): Promise<GrowingDatabase> {
  const measured = await openMeasuredDatabase(data);
  const { engine, restApi, statementsOf } = measured;
  const stopAnswering = interceptReaderRequests(restApi);
  const fillUp = (coverage: SeededCoverage, upTo: number) =>
    engine.transaction((session) => insertUpdates(session, coverage, upTo));
  const open = async (name: string) =>
    fillUp(await engine.transaction((session) => createSeededCoverage(session, name)), SHORT);
  const warmedUp = new Set<Queries[string]>();
  const growing: GrowingDatabase = {
    measured: measured,
    short: await open('short'),
    long: await open('long'),
    async grow(upTo) {
      growing.long = await fillUp(growing.long, upTo);
    },
    async updateStatistics(how) {
      await engine.execOutsideTransaction(how);
      // New statistics clear the session's caches.
      warmedUp.clear();
    },
    async costOf(query, coverage) {
      if (!warmedUp.has(query)) await query(coverage);
      warmedUp.add(query);
      // Every fortieth insert flushes the pending list of an index. Flushing it here keeps measurements equal.
      await engine.exec(
        "select gin_clean_pending_list('private.update_words_index'), gin_clean_pending_list('private.search_index_words')",
      );
      return totalCost(await statementsOf(() => query(coverage)));
    },
    async close() {
      stopAnswering();
      await engine.close();
    },
  };
  return growing;
}

/**
 * Tolerance. Page boundaries and index depth change the counts by a few pages and rows. Bitmap scans count pages twice,
 * first in the index.
 */
const SOME = { rows: 16, buffers: 20 };
const SHARE = 1.25;

/** Returns whether a query touches no more than another one, within the tolerance. */
export function costsNoMore(one: StatementCost, other: StatementCost): boolean {
  return one.rows <= other.rows * SHARE + SOME.rows && one.buffers <= other.buffers * SHARE + SOME.buffers;
}
