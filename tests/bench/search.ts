import { basename } from 'node:path';
import type { SupabaseClient } from '@supabase/supabase-js';
import { openEngine } from '../../packages/embedded-supabase/src/engine/open.ts';
import { anonClient, serviceClient } from '../support/backend.ts';
import { findPostgres, startCluster } from '../support/postgres-cluster.ts';
import { startProcess } from '../support/processes.ts';
import { APOLLO, type Expected, hasTranscript, missing, QUERIES } from '../support/search/expectations.ts';
import { importApollo, importCorpus, searchOutcome } from '../support/search/newsroom.ts';
import type { Bench } from './bench.ts';
import { emptyDatabase } from './desk.ts';
import type { Endings } from './endings.ts';
import { type Finding, percentile } from './figures.ts';
import { newFolder } from './newsroom.ts';
import { fillUp } from './search-newsroom.ts';

const UPDATES = 100_000;
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const AT_MOST_MS = 150;

type Asked = { query: string; more?: object };
const ask = (...queries: string[]): Asked[] => queries.map((query) => ({ query }));
const within = (more: object, ...queries: string[]): Asked[] => queries.map((query) => ({ query, more }));

/** Queries beside those with expected results. */
const KINDS: Record<string, Asked[]> = {
  'a word in half the rows': ask(
    'roger',
    'ROGER',
    'houston',
    'roger houston',
    'roger or houston',
    'roger -houston',
  ),
  'common words': ask(
    'copy',
    'go ahead',
    'stand by',
    'okay apollo',
    'reading you loud and clear',
    'moon',
    'orbit',
  ),
  'a phrase of common words': ask(
    '"roger houston"',
    '"houston roger over"',
    '"go ahead apollo"',
    '"clear over moon"',
  ),
  'later pages': within({ page: 10 }, 'roger', 'houston', 'orbit').concat(
    within({ page: 2 }, 'roger', 'copy'),
  ),
  'in a coverage': within({ coverage: 'filled-3' }, 'roger', 'orbit', 'zeppelin', '"go ahead"'),
  'between two days': within({ from: '2025-03-09', to: '2026-02-17' }, 'roger', 'orbit', 'zeppelin').concat(
    within({ from: '2025-03-09', to: '2025-03-09' }, 'roger', 'houston'),
  ),
  'misspelt words': ask(
    'zepelin',
    'Coperncius',
    'Armstong',
    'quarrantine',
    'harowgate',
    'hosuton zeppelin',
    'rogger',
  ),
  'what is nowhere': ask('xylophone', 'qwertzuiop asdfghjkl', 'roger xylophone', 'zzzzzz yyyyyy xxxxxx'),
  'what only a machine types': ask(
    'copy or go or over or moon or roger or houston or orbit or burn or okay or eagle or base or time or good or see',
    'copy go over moon roger houston orbit burn okay eagle base time good see',
    '"copy go over" "moon roger houston" "orbit burn okay" "eagle base time"',
    'xopy or yoger or zouston or qrbit or wurn or ekay or reagle or tase or yime or uood or isee or omoon',
  ),
};

/** What searches find, and how long they take. */
export const search: Bench = {
  head: 'p95 ms',
  about:
    `${UPDATES.toLocaleString('en')} updates of some sixty words, in one database, on both engines. What somebody expects of thirty ` +
    'searches is asked of the\nreal words alone; then how long each search waits among all of them, by the unmodified client, ' +
    `as a visitor, ${ROUNDS} times each.`,
  async run(endings) {
    const findings = await measure(endings, 'pglite');
    const bin = findPostgres();
    if (!bin) return { findings, notes: ['There is no PostgreSQL on this machine.'] };
    const cluster = endings.add(await startCluster(bin), (one) => one.end());
    return { findings: [...findings, ...(await measure(endings, 'postgres', cluster.url))] };
  },
};

async function measure(
  endings: Endings,
  engine: string,
  databaseUrl?: (database?: string) => string,
): Promise<Finding[]> {
  const data = await newFolder(endings);
  const url = databaseUrl && (await emptyDatabase(databaseUrl, basename(data)));
  const place = {
    EMBEDDED_SUPABASE_DATA: data,
    EMBEDDED_SUPABASE_BACKUP_AT: 'off',
    ...(url && { DATABASE_URL: url }),
  };

  const first = endings.add(await startProcess(place), (one) => one.stop());
  await (hasTranscript ? importApollo : importCorpus)(serviceClient(first));
  await first.stop();
  const expected: Expected[] = hasTranscript ? APOLLO : QUERIES;
  await learn(data, url);
  const second = endings.add(await startProcess(place), (one) => one.stop());
  const faults: string[] = [];
  for (const one of expected)
    faults.push(...missing(one, await searchOutcome(anonClient(second), one.query)));
  for (const fault of faults) console.log(`  ${engine}: ${fault}`);
  await second.stop();

  const open = await openEngine({ data, databaseUrl: url }, () => {});
  await fillUp(open, UPDATES);
  await open.close();
  const backend = endings.add(await startProcess(place), (one) => one.stop());
  const reader = anonClient(backend);
  const asked = { [`the ${expected.length} that somebody expects something of`]: expected, ...KINDS };
  const findings: Finding[] = [
    {
      what: `${engine}: of ${expected.length} searches so many find what is expected`,
      value: expected.length - new Set(faults.map((fault) => fault.split(':')[0])).size,
      bound: { atLeast: expected.length },
      figures: {},
    },
  ];
  const all: number[] = [];
  for (const [kind, searches] of Object.entries(asked)) {
    const times = await timesOf(reader, searches);
    all.push(...times);
    findings.push(finding(`${engine}: ${kind}`, times));
  }
  await backend.stop();
  return [...findings, finding(`${engine}: all`, all)];
}

/** Updates the vocabulary for typing errors. */
async function learn(data: string, databaseUrl: string | undefined): Promise<void> {
  const engine = await openEngine({ data, databaseUrl }, () => {});
  await engine.transaction((session) => session.exec('select private.update_vocabulary(10000)'));
  await engine.close();
}

async function timesOf(reader: SupabaseClient, searches: Asked[]): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { query, more } of searches) {
      const began = performance.now();
      await searchOutcome(reader, query, more);
      // The first round warms the session's caches.
      if (round > 0) times.push(performance.now() - began);
      if (process.env.EACH && round === ROUNDS)
        console.log(`  ${(performance.now() - began).toFixed(0)} ms: ${query}`);
    }
  }
  return times;
}

function finding(what: string, times: number[]): Finding {
  return {
    what,
    value: percentile(times, 0.95),
    bound: { atMost: AT_MOST_MS },
    figures: { asked: times.length, 'p50 ms': percentile(times, 0.5), 'worst ms': Math.max(...times) },
  };
}
