import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newDataFolder, removeData } from '../support/data-folders.ts';
import { costsNoMore, type GrowingDatabase, openGrowingDatabase } from '../support/rows/growing.ts';
import {
  BOUNDED_BY_BAND,
  deskQueries,
  jobQueries,
  NOT_COMPARABLE,
  publicQueries,
  type Queries,
  siteQueries,
  writeQueries,
} from '../support/rows/queries.ts';
import type { StatementCost } from '../support/rows/statements.ts';
import budgets from './rows.json' with { type: 'json' };

/*
 * Rows and pages that each route reads, in a coverage of a hundred updates and in a long one.
 * At 20,000 updates, a query that scans a coverage exceeds its budget by far.
 * At 5,000, a planner with old statistics may still prefer the wrong plan.
 * `npm run bench growing` measures 100,000.
 */
const EVENING = 5_000;
const LONG = 20_000;

let data: string;
let growing: GrowingDatabase;
let readQueries: Queries;
let siteWideQueries: Queries;
let commandQueries: Queries;
/** Reads of queries without a coverage, while both coverages had a hundred updates. */
const before: Record<string, StatementCost> = {};

beforeAll(async () => {
  data = await newDataFolder();
  growing = await openGrowingDatabase(data);
  const { measured: explaining } = growing;
  readQueries = { ...publicQueries, ...deskQueries(explaining) };
  siteWideQueries = { ...siteQueries(explaining), ...jobQueries(explaining) };
  commandQueries = writeQueries(explaining);
  for (const [name, query] of Object.entries(siteWideQueries))
    before[name] = await growing.costOf(query, growing.long);
  await growing.grow(EVENING);
});
afterAll(async () => {
  await growing.close();
  await removeData(data);
});

async function findViolations(queries: Queries, isWide = false): Promise<string> {
  const violations: string[] = [];
  for (const [name, query] of Object.entries(queries)) {
    const long = await growing.costOf(query, growing.long);
    const short = isWide ? before[name] : await growing.costOf(query, growing.short);
    const measured = `${name}: ${long.rows} rows, ${long.buffers} pages`;
    if (!short || (![...NOT_COMPARABLE, ...BOUNDED_BY_BAND].includes(name) && !costsNoMore(long, short))) {
      violations.push(`${measured}; of a hundred updates ${short?.rows} rows, ${short?.buffers} pages`);
    }
    const budget = (budgets as Record<string, StatementCost>)[name];
    if (!budget || long.rows > budget.rows || long.buffers > budget.buffers) {
      violations.push(`${measured}; its budget is ${budget?.rows} rows, ${budget?.buffers} pages`);
    }
  }
  return violations.join('\n');
}

type Statistics = { known: string; update?: 'vacuum' | 'analyze'; upTo?: number };

describe.each<Statistics>([
  { known: 'nothing about the rows' },
  { known: 'the number of rows', update: 'vacuum' },
  { known: 'the rows of an earlier evening', update: 'analyze', upTo: LONG },
  { known: 'all rows', update: 'analyze' },
])('queries when the planner knows $known', ({ update, upTo }) => {
  beforeAll(async () => {
    if (update) await growing.updateStatistics(update);
    if (upTo) await growing.grow(upTo);
  });

  test('reads as much of a long coverage as of a short one', async () => {
    expect(await findViolations(readQueries)).toBe('');
  });
  test('reads as much without a coverage as before one of them grew', async () => {
    expect(await findViolations(siteWideQueries, true)).toBe('');
  });
});

test('makes commands read as much in a long coverage as in a short one', async () => {
  expect(await findViolations(commandQueries)).toBe('');
});
