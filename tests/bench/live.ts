import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { SupabaseClient } from '@supabase/supabase-js';
import type { Bench } from './bench.ts';
import { realFeed } from './dense.ts';
import type { Endings } from './endings.ts';
import { type Finding, percentile } from './figures.ts';
import type { Reached } from './followers.ts';
import { type Coverage, importLiveFeed, type Newsroom, openNewsroom, signedIn, words } from './newsroom.ts';
import { type OpenPage, openPages } from './open-pages.ts';
import { startWorker, type Worker } from './worker.ts';

const FOLLOWERS = 1_000;
const PAGES = 5;
/** The 95th percentile is reported, so one outlier is possible. */
const PRESSES = 24;
const PRESSES_CHECKED = 3;
/** Pause between two commands, after every reader has the first update. */
const PAUSE_MS = 1_000;
/** With checks every reader has an update within two intervals. */
const LONGEST_MS = 25_000;
/** Maximum delay beside the spread. */
const AT_MOST_MS = 250;

/** The delay of an update from the reporter's command to the readers. */
export const live: Bench = {
  head: 'p95 ms',
  about:
    `${FOLLOWERS.toLocaleString('en')} followers and ${PAGES} real pages in Chromium; a reporter publishes ${PRESSES} ` +
    'updates. In ms from the press to the answer\nthat a follower gets, and to the update on a page. Who is told ' +
    `waits a random part of the announced spread: the bound is\n${AT_MOST_MS} ms beside it.`,
  async run(endings) {
    const newsroom = await openNewsroom(endings, { STOPPRESS_PROXIES: '1' });
    const { feed, note } = await realFeed();
    const coverage = await importLiveFeed(newsroom, feed, 'live');
    const reporter = await signedIn(newsroom, 'reporter');
    const bySocket = await measure(endings, newsroom, coverage, reporter, true);
    await followByChecks(newsroom.service, coverage);
    const byChecks = await measure(endings, newsroom, coverage, reporter, false);
    return { findings: [...bySocket, ...byChecks], notes: [note] };
  },
};

/** Sets the coverage's follow mode as an editor. */
async function followByChecks(service: SupabaseClient, { id }: Coverage): Promise<void> {
  const { data } = await service.from('coverages').select('version').eq('id', id).single().throwOnError();
  await service
    .rpc('save_coverage', {
      idempotency_key: randomUUID(),
      coverage_id: id,
      version: data.version,
      content: { reader_follow_mode: 'checks', check_interval_seconds: 10 },
    })
    .throwOnError();
}

async function measure(
  endings: Endings,
  newsroom: Newsroom,
  coverage: Coverage,
  reporter: SupabaseClient,
  sockets: boolean,
): Promise<Finding[]> {
  const { url, publishableKey, service } = newsroom;
  const followers = endings.add(startWorker('followers.ts'), (worker) => worker.stop());
  const { data } = await service
    .from('coverages')
    .select('id, slug, seq')
    .eq('id', coverage.id)
    .single()
    .throwOnError();
  await followers.ask('start', { url, publishableKey, coverage: data, followers: FOLLOWERS, sockets });
  const pages = await openPages(endings, `${url}/live/${coverage.slug}`, PAGES);
  const presses: Press[] = [];
  for (let press = 0; press < (sockets ? PRESSES : PRESSES_CHECKED); press++) {
    await wait(PAUSE_MS);
    presses.push(await publish(reporter, coverage, data.seq + press + 1, followers, pages));
  }
  await followers.stop();
  for (const page of pages) await page.close();
  return sockets ? findingsOf(presses) : report(presses);
}

/** Times in ms since the command. */
type Press = {
  /** When the reporter had the response. */
  answered: number;
  spread: number;
  /**
   * When followers were notified, when they had the update, and when they would have had it without the random
   * delay.
   */
  told: number[];
  had: number[];
  unwaited: number[];
  /** When pages showed it. */
  seen: number[];
};

async function publish(
  reporter: SupabaseClient,
  coverage: Coverage,
  seq: number,
  followers: Worker,
  pages: OpenPage[],
): Promise<Press> {
  await followers.ask('watch', seq);
  const pressed = Date.now();
  const { data } = await reporter
    .rpc('publish_update', {
      idempotency_key: randomUUID(),
      coverage_id: coverage.id,
      update_id: randomUUID(),
      content: { body: [{ type: 'paragraph', runs: [{ text: words('Just in') }] }] },
    })
    .throwOnError();
  const answered = Date.now() - pressed;
  if (data.seq !== seq) throw new Error(`Somebody else publishes: change ${data.seq} in place of ${seq}.`);
  const [{ told, had, waited, spread }, seen] = await Promise.all([
    followers.ask<Reached>('reached', LONGEST_MS),
    Promise.all(pages.map((page) => page.seen(data.number))),
  ]);
  if (had.length < FOLLOWERS) throw new Error(`${FOLLOWERS - had.length} followers never had change ${seq}.`);
  return {
    answered,
    spread,
    told: told.map((at) => at - pressed),
    had: had.map((at) => at - pressed),
    unwaited: had.map((at, n) => at - pressed - (waited[n] ?? 0)),
    seen: seen.map((at) => at - pressed),
  };
}

function findingsOf(presses: Press[]): Finding[] {
  const spread = Math.max(...presses.map((press) => press.spread));
  const bound = { atMost: spread + AT_MOST_MS };
  return [
    {
      ...times(
        'sockets: press to answer',
        presses.flatMap(({ had }) => had),
      ),
      bound,
    },
    {
      ...times(
        'sockets: press to page',
        presses.flatMap(({ seen }) => seen),
      ),
      bound,
    },
    {
      ...times(
        'sockets: press to answer, but for the wait',
        presses.flatMap(({ unwaited }) => unwaited),
      ),
      bound: { atMost: AT_MOST_MS },
    },
    times(
      'sockets: press to being told',
      presses.flatMap(({ told }) => told),
    ),
    times(
      'the press itself',
      presses.map(({ answered }) => answered),
    ),
  ];
}

function report(presses: Press[]): Finding[] {
  return [
    times(
      'checks of 10 s: press to answer',
      presses.flatMap(({ had }) => had),
    ),
    times(
      'checks of 10 s: press to page',
      presses.flatMap(({ seen }) => seen),
    ),
  ];
}

function times(what: string, values: number[]): Finding {
  const figures = { p50: percentile(values, 0.5), slowest: percentile(values, 1), of: values.length };
  return { what, value: percentile(values, 0.95), figures };
}
