import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newDataFolder, removeData } from '../support/data-folders.ts';
import { type Growing, isLike, openGrowing } from '../support/rows/growing.ts';
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
import type { Touched } from '../support/rows/statements.ts';
import budgets from './rows.json' with { type: 'json' };

/*
 * Rows and pages that each route reads in a coverage of a hundred updates, and in a long one. At 20,000 updates a
 * query that walks through a coverage exceeds its budget clearly. At 5,000 a wrong plan may still look cheaper to
 * the planner. `npm run bench growing` measures 100,000.
 */
const EVENING = 5_000;
const LONG = 20_000;

let data: string;
let growing: Growing;
let readings: Queries;
let wide: Queries;
let presses: Queries;
/** Costs of queries without a coverage while both had a hundred updates. */
const before: Record<string, Touched> = {};

beforeAll(async () => {
  data = await newDataFolder();
  growing = await openGrowing(data);
  const { measured: explaining } = growing;
  readings = { ...publicQueries, ...deskQueries(explaining) };
  wide = { ...siteQueries(explaining), ...jobQueries(explaining) };
  presses = writeQueries(explaining);
  for (const [name, ask] of Object.entries(wide)) before[name] = await growing.touched(ask, growing.long);
  await growing.grow(EVENING);
});
afterAll(async () => {
  await growing.close();
  await removeData(data);
});

async function judge(asked: Queries, isWide = false): Promise<string[]> {
  const found: string[] = [];
  for (const [name, ask] of Object.entries(asked)) {
    const long = await growing.touched(ask, growing.long);
    const short = isWide ? before[name] : await growing.touched(ask, growing.short);
    const said = `${name}: ${long.rows} rows, ${long.buffers} pages`;
    if (!short || (![...NOT_COMPARABLE, ...BOUNDED_BY_BAND].includes(name) && !isLike(long, short))) {
      found.push(`${said}; of a hundred updates ${short?.rows} rows, ${short?.buffers} pages`);
    }
    const budget = (budgets as Record<string, Touched>)[name];
    if (!budget || long.rows > budget.rows || long.buffers > budget.buffers) {
      found.push(`${said}; its budget is ${budget?.rows} rows, ${budget?.buffers} pages`);
    }
  }
  return found;
}

type Knowledge = { knows: string; look?: 'vacuum' | 'analyze'; upTo?: number };

describe.each<Knowledge>([
  { knows: 'nothing of the rows' },
  { knows: 'how many they are', look: 'vacuum' },
  { knows: 'what was before a long night', look: 'analyze', upTo: LONG },
  { knows: 'all of the rows', look: 'analyze' },
])('when the planner knows $knows', ({ look, upTo }) => {
  beforeAll(async () => {
    if (look) await growing.updateStatistics(look);
    if (upTo) await growing.grow(upTo);
  });

  test('a route reads as much of a long coverage as of a short one', async () => {
    expect(await judge(readings)).toEqual([]);
  });
  test('routes without a coverage read as much as before one grew', async () => {
    expect(await judge(wide, true)).toEqual([]);
  });
});

test('a command does as much in a long coverage as in a short one', async () => {
  expect(await judge(presses)).toEqual([]);
});
