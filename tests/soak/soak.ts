import { setTimeout as wait } from 'node:timers/promises';
import type { SupabaseClient } from '@supabase/supabase-js';
import type { Endings } from '../bench/endings.ts';
import { type Finding, percentile } from '../bench/figures.ts';
import type { Reached } from '../bench/followers.ts';
import {
  type Coverage,
  importLiveFeed,
  longFeed,
  type Newsroom,
  openNewsroom,
  signedIn,
  WHOLE,
} from '../bench/newsroom.ts';
import { startWorker, type Worker } from '../bench/worker.ts';
import { readWholeQueue } from '../support/tips.ts';
import type { AttackResult } from './attackers.ts';
import { growthOf, watchMemory } from './memory.ts';
import { publishedOnPages } from './pages.ts';
import type { Met } from './readers.ts';
import type { Readable } from './visits.ts';
import { type Pace, type Written, write } from './writers.ts';

/** Concurrent users. */
export type Crowd = {
  /** Visits per second. */
  readers: number;
  /** Followers by socket and by checks. */
  bySocket: number;
  byChecks: number;
  pace: Pace;
};

/** The overload: readers continue, and clients request made-up URLs. */
export type Beyond = { seconds: number; flooding: number };

export type Soak = { crowd: Crowd; beyond: Beyond; bounds: Bounds };

export type Bounds = {
  /** Maximum growth of memory from the second to the last third. */
  growth: number;
  /** Maximum megabytes of all processes. */
  memory: number;
};

/**
 * Maximum time until all followers have the last update. Checks are up to 10 s apart, twice that after a failure.
 */
const LAST_MS = 30_000;
const UPDATES = 200;
/** Slow responses are measured, not logged. */
const QUIET = { STOPPRESS_PROXIES: '1', STOPPRESS_LOG_LEVEL: 'error' };

/** Findings with limits, and descriptions of errors. */
export type Soaked = { findings: Finding[]; wrong: string[] };

type Place = { newsroom: Newsroom; coverage: Coverage; readable: Readable; reporter: SupabaseClient };

/** Runs readers, followers, a reporter and senders of tips for some seconds, and then an overload. */
export async function soak(
  endings: Endings,
  seconds: number,
  { crowd, beyond, bounds }: Soak,
  environment: Record<string, string> = {},
): Promise<Soaked> {
  const place = await openPlace(endings, environment);
  const { newsroom, coverage, readable, reporter } = place;
  const followers = await openFollowers(endings, place, crowd);
  const readers = endings.add(startWorker(`${import.meta.dirname}/readers.ts`), (worker) => worker.stop());

  const attackers = endings.add(startWorker(`${import.meta.dirname}/attackers.ts`), (worker) =>
    worker.stop(),
  );

  const end = new AbortController();
  const { access_token: token } =
    (await (await signedIn(newsroom, 'reader')).auth.getSession()).data.session ?? {};
  const { url, publishableKey } = newsroom;
  await attackers.ask('start', { url, publishableKey, token, slug: coverage.slug });
  await readers.ask('start', { url: newsroom.url, readable, perSecond: crowd.readers });
  const writing = write(newsroom, reporter, coverage, crowd.pace, end.signal);
  const memory = watchMemory(newsroom.pid);
  await wait(seconds * 1000);
  memory.stop();
  end.abort();
  const written = await writing;
  const met = await readers.ask<Met>('stop');
  const attacks = await attackers.ask<AttackResult>('stop');
  const behind = await behindAtEnd(place, followers, written);
  const flood = await floodWith(place, readers, { crowd, beyond });

  const moderator = await signedIn(newsroom, 'moderator');
  const queued = [...(await readWholeQueue(moderator, 'open')), ...(await readWholeQueue(moderator, 'held'))];
  const tips = new Set(queued.map(({ id }) => id));
  const shown = await publishedOnPages(newsroom.url, coverage.slug);
  const lost = [
    ...written.numbers.filter((number) => shown.filter((one) => one === number).length !== 1),
    ...written.tips.filter((id) => !tips.has(id)),
  ];
  const seen = [...wordsOf(met.wrong), ...wordsOf(flood.wrong)];
  const faults = Object.entries(attacks.faults).map(([attack, times]) => `${times} attacks: ${attack}`);
  const logged = newsroom.errors().split('\n').filter(Boolean);
  const wrong = [
    ...seen,
    ...faults,
    ...written.wrong,
    ...behind,
    ...lost.map((what) => `Lost or doubled: ${what}`),
    ...logged,
  ];
  return {
    findings: findingsOf({ seconds, met, flood, attacks, written, wrong, samples: memory.samples, bounds }),
    wrong,
  };
}

const wordsOf = (wrong: Record<string, number>) =>
  Object.entries(wrong).map(([what, times]) => `${times} readers: ${what}`);

/** Measures readers of common pages during a flood of made-up URLs, while the reporter continues. */
async function floodWith(
  { newsroom, readable, coverage, reporter }: Place,
  readers: Worker,
  { crowd, beyond }: Pick<Soak, 'crowd' | 'beyond'>,
): Promise<Met> {
  const { flooding } = beyond;
  await readers.ask('start', { url: newsroom.url, readable, perSecond: crowd.readers, flooding });
  const end = AbortSignal.timeout(beyond.seconds * 1000);
  const never = beyond.seconds * 2000;
  const written = await write(
    newsroom,
    reporter,
    coverage,
    { publish: 1_000, tip: never, photo: never },
    end,
  );
  const met = await readers.ask<Met>('stop');
  for (const refused of written.wrong) met.wrong[refused] = 1;
  return met;
}

async function openPlace(endings: Endings, environment: Record<string, string>): Promise<Place> {
  const newsroom = await openNewsroom(endings, { ...QUIET, ...environment }, WHOLE);
  const coverage = await importLiveFeed(newsroom, longFeed(UPDATES), 'river');
  const ended = await importLiveFeed(newsroom, longFeed(UPDATES), 'storm');
  const editor = await signedIn(newsroom, 'editor');
  const over = { idempotency_key: crypto.randomUUID(), coverage_id: ended.id, state: 'ended' };
  await editor.rpc('set_coverage_state', over).throwOnError();
  const page = await (await fetch(`${newsroom.url}/live/river`)).text();
  const files = [
    ...page.matchAll(/(?:src|href)="(\/(?:_astro\/[^"]+\.(?:js|css)|manifest[^"]*|icon[^"]*))"/g),
  ];
  return {
    newsroom,
    coverage,
    reporter: await signedIn(newsroom, 'reporter'),
    readable: {
      slug: 'river',
      ended: 'storm',
      updates: UPDATES,
      files: [...files.map(([, path = '']) => path), '/sw.js', '/robots.txt'],
    },
  };
}

async function openFollowers(
  endings: Endings,
  { newsroom, coverage }: Place,
  { bySocket, byChecks }: Crowd,
): Promise<Worker[]> {
  const { url, publishableKey } = newsroom;
  const start = async (followers: number, sockets: boolean) => {
    const worker = endings.add(startWorker('followers.ts'), (one) => one.stop());
    await worker.ask('start', { url, publishableKey, coverage, followers, sockets });
    return worker;
  };
  return [await start(bySocket, true), await start(byChecks, false)];
}

/** Publishes an update and waits until all followers know it. @returns descriptions of those that do not */
async function behindAtEnd(
  { newsroom, coverage, reporter }: Place,
  followers: Worker[],
  written: Written,
): Promise<string[]> {
  const { data } = await newsroom.service
    .from('coverages')
    .select('seq')
    .eq('id', coverage.id)
    .single()
    .throwOnError();
  const seq = data.seq + 1;
  for (const worker of followers) await worker.ask('watch', seq);
  const args = { coverage_id: coverage.id, update_id: crypto.randomUUID() };
  const content = { body: [{ type: 'paragraph', runs: [{ text: 'The last of the evening.' }] }] };
  const idempotency_key = crypto.randomUUID();
  const saved = await reporter.rpc('publish_update', { idempotency_key, ...args, content }).throwOnError();
  written.numbers.push(saved.data.number);
  const reached = await Promise.all(followers.map((worker) => worker.ask<Reached>('reached', LAST_MS)));
  const asked = await Promise.all(followers.map((worker) => worker.ask<number>('everybody')));
  const missing = asked.reduce((sum, all, n) => sum + all - (reached[n]?.had.length ?? 0), 0);
  return missing > 0 ? [`${missing} who follow do not know of the last update.`] : [];
}

type Evening = {
  seconds: number;
  met: Met;
  flood: Met;
  attacks: AttackResult;
  written: Written;
  wrong: string[];
  samples: number[];
  bounds: Bounds;
};

function findingsOf({ seconds, met, flood, attacks, written, wrong, samples, bounds }: Evening): Finding[] {
  const { numbers, tips, photos, presses } = written;
  return [
    {
      what: `what a person would have seen go wrong in ${Math.round(seconds / 60)} min`,
      value: wrong.length,
      bound: { atMost: 0 },
      figures: {
        visits: met.times.length,
        updates: numbers.length,
        tips: tips.length,
        photos: photos.length,
      },
    },
    { what: 'a visit, in ms', value: percentile(met.times, 0.5), figures: ninetyFifths(met.times) },
    {
      what: 'the same beyond its limit, where many have been',
      value: percentile(flood.times, 0.5),
      figures: { ...ninetyFifths(flood.times), visits: flood.times.length },
    },
    {
      what: 'answers to the flood meanwhile',
      value: Object.values(flood.flood).reduce((sum, times) => sum + times, 0),
      figures: flood.flood,
    },
    {
      what: 'answers to the attackers',
      value: Object.values(attacks.answers).reduce((sum, times) => sum + times, 0),
      figures: attacks.answers,
    },
    { what: 'a press, in ms', value: percentile(presses, 0.5), figures: ninetyFifths(presses) },
    {
      what: 'memory: the last third of the time beside the second',
      value: growthOf(samples),
      bound: { atMost: bounds.growth },
      figures: {},
    },
    {
      what: 'memory of all processes, in MB',
      value: Math.max(...samples),
      bound: { atMost: bounds.memory },
      figures: {},
    },
  ];
}

const ninetyFifths = (times: number[]) => ({ p95: percentile(times, 0.95), p99: percentile(times, 0.99) });
