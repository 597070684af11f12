import { openGrowingDatabase } from '../support/rows/growing.ts';
import {
  deskQueries,
  NOT_COMPARABLE,
  publicQueries,
  type Queries,
  siteQueries,
  writeQueries,
} from '../support/rows/queries.ts';
import type { SeededCoverage } from '../support/rows/seed.ts';
import type { Bench } from './bench.ts';
import { type Finding, median } from './figures.ts';
import { newFolder } from './newsroom.ts';

const LONG = 100_000;
const ROUNDS = 9;
/** Tolerance for measurements of a few milliseconds on a busy machine. */
const AT_MOST = 1.2;

/** The database queries of each route, in coverages of a hundred and a hundred thousand updates. */
export const growing: Bench = {
  head: 'ratio',
  about:
    `Two coverages in one database, of 100 updates and of ${LONG.toLocaleString('en')}. The time that each route ` +
    `waits for what it reads,\nuncached, by turns; the ratio of medians of ${ROUNDS} each. Beside it the rows and ` +
    'pages of 8 KB that are touched, counted by EXPLAIN.',
  async run(endings) {
    const scene = endings.add(await openGrowingDatabase(await newFolder(endings)), ({ close }) => close());
    await scene.grow(LONG);
    const { measured: explaining, short, long } = scene;
    const asked: Queries = {
      ...publicQueries,
      ...siteQueries(explaining),
      ...deskQueries(explaining),
      ...writeQueries(explaining),
    };
    const findings: Finding[] = [];
    // Writes run last, because they change what checks return.
    for (const [name, ask] of Object.entries(asked)) {
      const { short: shortMs, long: longMs } = await byTurns(ask, short, long);
      const [ofShort, ofLong] = [await scene.costOf(ask, short), await scene.costOf(ask, long)];
      findings.push({
        what: name,
        value: longMs / shortMs,
        ...(!NOT_COMPARABLE.includes(name) && { bound: { atMost: AT_MOST } }),
        figures: {
          'ms of 100': shortMs,
          'ms of 100,000': longMs,
          'rows of 100': ofShort.rows,
          'rows of 100,000': ofLong.rows,
          'pages of 100': ofShort.buffers,
          'pages of 100,000': ofLong.buffers,
        },
      });
    }
    return { findings };
  },
};

type Times = { short: number; long: number };

/** In changing order, after a warm-up. */
async function byTurns(ask: Queries[string], short: SeededCoverage, long: SeededCoverage): Promise<Times> {
  const durations: Record<keyof Times, number[]> = { short: [], long: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const whose of round % 2 === 0 ? (['short', 'long'] as const) : (['long', 'short'] as const)) {
      const began = performance.now();
      await ask(whose === 'short' ? short : long);
      if (round > 0) durations[whose].push(performance.now() - began);
    }
  }
  return { short: median(durations.short), long: median(durations.long) };
}
