import type { Bench } from './bench.ts';
import type { Endings } from './endings.ts';
import { type Finding, median } from './figures.ts';
import { type Coverage, importLiveFeed, longFeed, openNewsroom } from './newsroom.ts';
import { cpuOf } from './process.ts';
import { startWorker } from './worker.ts';
import { CONNECTIONS, findWrk, HEADERS, measure } from './wrk.ts';

const UPDATES = 2_000;
/** Seconds of load at a time. It equals the lifetime of `changes`, so that each slice renders one. */
const SLICE_S = 2;
const PAIRS = 6;
const UNCACHED_READERS = 8;

/** Minimum throughput relative to a bare server, alone and while the backend is busy. */
const AT_LEAST = 0.8;
const AT_LEAST_BUSY = 0.5;

/** Cached responses, compared with a bare Node server that sends the same bytes and headers. */
export const cache: Bench = {
  head: 'ratio',
  about:
    `A coverage of ${UPDATES.toLocaleString('en')} updates. Requests a second to one thread of wrk with ` +
    `${CONNECTIONS} connections,\nof the site and of a bare Node server that sends the same bytes and headers, by ` +
    `turns; medians of ${PAIRS} pairs of ${SLICE_S} s.\nBusy: while ${UNCACHED_READERS} readers ask the site what ` +
    'nobody has asked before. µs: what the process computes for a request.',
  async run(endings) {
    if (!(await findWrk())) throw new Error('This bench needs wrk (Debian: apt-get install wrk).');
    const newsroom = await openNewsroom(endings);
    const coverage = await importLiveFeed(newsroom, longFeed(UPDATES), 'river');
    const page = `/live/${coverage.slug}`;
    const paths = { 'live page': page, changes: `${page}/changes?after=${coverage.seq - 1}` };

    const bare = endings.add(startWorker('bare-server.ts'), (worker) => worker.stop());
    const bareUrl = await bare.ask<string>('listen');
    const both = {
      site: { url: newsroom.url, pid: newsroom.pid },
      bare: { url: bareUrl, pid: bare.pid },
      copy: (url: string) => bare.ask<{ status: number }>('copy', { url, headers: HEADERS }),
    };
    const findings: Finding[] = [];
    for (const [what, path] of Object.entries(paths)) {
      findings.push(await compare(what, path, both, AT_LEAST));
    }
    const stop = await keepBusy(endings, newsroom.url, coverage);
    for (const [what, path] of Object.entries(paths)) {
      findings.push(await compare(`${what}, busy`, path, both, AT_LEAST_BUSY));
    }
    const uncached = await stop();
    return { findings, notes: [`Meanwhile ${uncached.toFixed(1)} uncached answers a second.`] };
  },
};

type Server = { url: string; pid: number };
type Both = { site: Server; bare: Server; copy(url: string): Promise<{ status: number }> };

/** Requests per second, and microseconds of processor time for each, with the kernel. */
type Pace = { perSecond: number; cost: number };

/** Measures both servers alternately, in changing order, and compares neighbouring measurements. */
async function compare(what: string, path: string, both: Both, atLeast: number): Promise<Finding> {
  const pairs: { site: Pace; bare: Pace }[] = [];
  for (let pair = 0; pair < 1 + PAIRS; pair++) {
    const { status } = await both.copy(both.site.url + path);
    if (status !== 200) throw new Error(`${path} answers ${status}.`);
    const turns = pair % 2 === 0 ? (['site', 'bare'] as const) : (['bare', 'site'] as const);
    const paces = {} as { site: Pace; bare: Pace };
    for (const turn of turns) paces[turn] = await paceOf(both[turn], path);
    // The first pair is a warm-up.
    if (pair > 0) pairs.push(paces);
  }
  const middle = (figure: (pair: { site: Pace; bare: Pace }) => number) => median(pairs.map(figure));
  return {
    what,
    value: middle(({ site, bare }) => site.perSecond / bare.perSecond),
    bound: { atLeast },
    figures: {
      'site/s': middle(({ site }) => site.perSecond),
      'bare/s': middle(({ bare }) => bare.perSecond),
      'site µs': middle(({ site }) => site.cost),
      'bare µs': middle(({ bare }) => bare.cost),
    },
  };
}

async function paceOf({ url, pid }: Server, path: string): Promise<Pace> {
  const busy = cpuOf(pid);
  const perSecond = await measure(url + path, SLICE_S);
  return { perSecond, cost: ((cpuOf(pid) - busy) * 1000) / (perSecond * SLICE_S) };
}

/**
 * Starts readers who are never answered from the cache. The returned function stops them and returns their requests
 * per second.
 */
async function keepBusy(endings: Endings, url: string, { slug, seq }: Coverage) {
  const readers = endings.add(startWorker('uncached-readers.ts'), (worker) => worker.stop());
  await readers.ask('start', { url, slug, seq, readers: UNCACHED_READERS });
  const started = performance.now();
  return async (): Promise<number> => {
    const answered = await readers.ask<number>('stop');
    return answered / ((performance.now() - started) / 1000);
  };
}
