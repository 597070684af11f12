import { basename, resolve } from 'node:path';
import { createClient } from '@supabase/supabase-js';
import postgres from 'postgres';
import { type DeskLoadResult, runDeskLoad } from '../support/desk-load.ts';
import { createLiveCoverage, createUser, type People, type Person } from '../support/newsroom.ts';
import { findPostgres, startCluster } from '../support/postgres-cluster.ts';
import { startProcess } from '../support/processes.ts';
import type { Bench } from './bench.ts';
import type { Endings } from './endings.ts';
import { type Finding, median, percentile } from './figures.ts';
import { newFolder } from './newsroom.ts';

const EDITORS = 4;
const REPORTERS = 16;
const LASTS_MS = 60_000;
/** Mean pause of each person after a command. */
const PAUSE_MS = 1_000;
/** Maximum delay until every desk shows an update. */
const AT_MOST_MS = 2_000;

/** Twenty people at one desk for a minute, on each engine. */
export const desk: Bench = {
  head: 'p95 ms',
  about:
    `${EDITORS + REPORTERS} people publish, save, submit, revise, withdraw and pin in one coverage for a minute, each by supabase-js and with a\n` +
    'desk that listens, in one process. In ms from a press to the update in everybody’s list. Each update is there once,\n' +
    '`number` and `seq` have no gap, all lists end the same, and no list ever showed a row twice; else the bench fails.',
  async run(endings) {
    const findings = [await measure(endings, 'pglite')];
    const bin = findPostgres();
    if (!bin) return { findings, notes: ['There is no PostgreSQL on this machine.'] };
    const cluster = endings.add(await startCluster(bin), (one) => one.end());
    return { findings: [...findings, await measure(endings, 'postgres', cluster.url)] };
  },
};

async function measure(
  endings: Endings,
  engine: string,
  databaseUrl?: (database?: string) => string,
): Promise<Finding> {
  const data = await newFolder(endings);
  const backend = await startProcess({
    EMBEDDED_SUPABASE_DATA: data,
    EMBEDDED_SUPABASE_MIGRATIONS: resolve('supabase/migrations'),
    ...(databaseUrl && { DATABASE_URL: await emptyDatabase(databaseUrl, basename(data)) }),
  });
  endings.add(backend, (one) => one.stop());
  const auth = { persistSession: false, autoRefreshToken: false };
  const service = createClient(backend.url, backend.secretKey, { auth });
  const people = await team({ ...backend, service });
  const [editor, reporter] = [people[0] as Person, people.at(-1) as Person];
  const contributor = await createUser({ ...backend, service }, 'contributor');
  const { coverage } = await createLiveCoverage({ editor, reporter, contributor } as People);
  const result = await runDeskLoad({ service, coverage, people, durationMs: LASTS_MS, pauseMs: PAUSE_MS });
  if (result.errors.length > 0) throw new Error(`On ${engine}: ${result.errors.join('; ')}.`);
  return finding(engine, result);
}

export async function emptyDatabase(
  databaseUrl: (database?: string) => string,
  name: string,
): Promise<string> {
  const sql = postgres(databaseUrl(), { max: 1, onnotice: () => {} });
  await sql.unsafe(`create database "${name}"`);
  await sql.end();
  return databaseUrl(name);
}

async function team(place: Parameters<typeof createUser>[0]): Promise<Person[]> {
  const people: Person[] = [];
  for (let n = 0; n < EDITORS + REPORTERS; n++) {
    people.push(await createUser(place, n < EDITORS ? 'editor' : 'reporter'));
  }
  return people;
}

function finding(
  engine: string,
  { commandCounts: acts, delays: late, settleMs: settled }: DeskLoadResult,
): Finding {
  const presses = Object.values(acts).reduce((sum, count) => sum + count, 0);
  return {
    what: engine,
    value: percentile(late, 0.95),
    bound: { atMost: AT_MOST_MS },
    figures: {
      median: median(late),
      'presses a second': presses / (LASTS_MS / 1000),
      updates: late.length,
      'settled ms': settled,
    },
  };
}
