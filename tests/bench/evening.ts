import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { SupabaseClient } from '@supabase/supabase-js';
import { growthOf, watchMemory } from '../soak/memory.ts';
import type { Met } from '../soak/readers.ts';
import { call, paragraph } from '../support/newsroom.ts';
import type { Bench } from './bench.ts';
import { type Finding, percentile } from './figures.ts';
import {
  type Coverage,
  importLiveFeed,
  longFeed,
  type Newsroom,
  openNewsroom,
  signedIn,
  WHOLE,
  words,
} from './newsroom.ts';
import { startWorker } from './worker.ts';

const MINUTES = 5;
const VISITS_PER_SECOND = 150;
const FOLLOWERS = 1_000;
const PUBLISH_EVERY_MS = 1_000;
/** The newest of these have a page each, and ten share an older page: more than two hundred addresses in all. */
const UPDATES = 1_000;

/** Time after the answer to a command at which the page must contain the update. */
const FRESH_AFTER_MS = 1_000;
const P95_MS = 50;
const GROWTH = 1.05;

/** A busy evening of a newsroom on one machine, together with the programs that create the load. */
export const evening: Bench = {
  head: 'value',
  about:
    `${VISITS_PER_SECOND} visits a second to more than 200 public pages, ${FOLLOWERS.toLocaleString('en')} followers by socket, and an update every\n` +
    `second, for ${MINUTES} minutes. A page is outdated if it lacks an update ${FRESH_AFTER_MS / 1000} s after the answer to its command.`,
  async run(endings) {
    const quiet = { STOPPRESS_PROXIES: '1', STOPPRESS_LOG_LEVEL: 'error' };
    const newsroom = await openNewsroom(endings, quiet, WHOLE);
    const { url, publishableKey, pid } = newsroom;
    const coverage = await importLiveFeed(newsroom, longFeed(UPDATES), 'river');
    const ended = await importLiveFeed(newsroom, longFeed(UPDATES), 'storm');
    const end = { idempotency_key: randomUUID(), coverage_id: ended.id, state: 'ended' };
    await (await signedIn(newsroom, 'editor')).rpc('set_coverage_state', end).throwOnError();
    const followers = endings.add(startWorker('followers.ts'), (worker) => worker.stop());
    await followers.ask('start', { url, publishableKey, coverage, followers: FOLLOWERS, sockets: true });
    const readers = endings.add(startWorker(`${import.meta.dirname}/../soak/readers.ts`), (worker) =>
      worker.stop(),
    );
    const readable = { slug: coverage.slug, ended: ended.slug, updates: UPDATES, files: ['/robots.txt'] };
    await readers.ask('start', { url, readable, perSecond: VISITS_PER_SECOND });

    const memory = watchMemory(pid);
    const reporter = await signedIn(newsroom, 'reporter');
    const written = await publish(newsroom, coverage, reporter, MINUTES * 60_000);
    memory.stop();
    const { times, wrong } = await readers.ask<Met>('stop');
    const refused = Object.entries(wrong).map(([what, count]) => `${count} visits: ${what}`);
    const findings: Finding[] = [
      {
        what: 'a visit, p95 in ms',
        value: percentile(times, 0.95),
        bound: { atMost: P95_MS },
        figures: { visits: times.length, p50: percentile(times, 0.5), p99: percentile(times, 0.99) },
      },
      {
        what: 'visits refused or failed',
        value: sum(Object.values(wrong)),
        bound: { atMost: 0 },
        figures: {},
      },
      {
        what: 'outdated pages',
        value: written.outdated,
        bound: { atMost: 0 },
        figures: { updates: written.updates, p50: percentile(written.times, 0.5) },
      },
      {
        what: 'memory: the last third of the time beside the second',
        value: growthOf(memory.samples),
        bound: { atMost: GROWTH },
        figures: { MB: Math.max(...memory.samples) },
      },
    ];
    return { findings, notes: refused.slice(0, 10) };
  },
};

type Written = { updates: number; outdated: number; times: number[] };

/** Publishes at a constant rate, and reads the live page after each update. `times`: of the commands, in ms. */
async function publish(
  { url }: Newsroom,
  { id: coverage_id, slug }: Coverage,
  reporter: SupabaseClient,
  durationMs: number,
): Promise<Written> {
  const written: Written = { updates: 0, outdated: 0, times: [] };
  const checks: Promise<void>[] = [];
  const checkPage = async (seq: number) => {
    await wait(FRESH_AFTER_MS);
    const page = await (await fetch(`${url}/live/${slug}`)).text();
    if (Number(/data-seq="(\d+)"/.exec(page)?.[1]) < seq) written.outdated += 1;
  };
  const began = performance.now();
  for (let n = 1; n * PUBLISH_EVERY_MS <= durationMs; n++) {
    const at = performance.now();
    const content = { body: [paragraph(words(`Report ${n} of the evening`))] };
    const { seq } = await call<{ seq: number }>(reporter, 'publish_update', {
      coverage_id,
      update_id: randomUUID(),
      content,
    });
    written.times.push(performance.now() - at);
    written.updates += 1;
    checks.push(checkPage(seq));
    await wait(Math.max(0, n * PUBLISH_EVERY_MS - (performance.now() - began)));
  }
  await Promise.all(checks);
  return written;
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
