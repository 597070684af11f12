import type { Bench } from './bench.ts';
import type { Endings } from './endings.ts';
import { type Finding, median } from './figures.ts';
import { bringIn, type Coverage, longFeed, openNewsroom } from './newsroom.ts';
import { startWorker, type Worker } from './worker.ts';
import { CONNECTIONS, findWrk, HEADERS, measure } from './wrk.ts';

const UPDATES = 2_000;
/** Seconds under load at a time: as long as an answer of `changes` is fresh, so that each time one is made anew. */
const SLICE_S = 2;
const PAIRS = 7;
const UNCACHED_READERS = 8;

/** How much of a bare server's pace the cache keeps; and while others keep the backend busy. */
const AT_LEAST = 0.8;
const AT_LEAST_BUSY = 0.5;

/** Cached answers, against a bare Node server that sends the very same bytes with the very same headers. */
export const cache: Bench = {
  head: 'ratio',
  about:
    `A coverage of ${UPDATES.toLocaleString('en')} updates; requests a second to one thread of wrk with ${CONNECTIONS} ` +
    `connections, of the site and of a bare Node server that sends the same bytes and headers, by turns; medians of ` +
    `${PAIRS} pairs of ${SLICE_S} s. Busy: while ${UNCACHED_READERS} readers ask the site what nobody has asked before.`,
  async run(endings) {
    if (!(await findWrk())) throw new Error('This bench needs wrk (Debian: apt-get install wrk).');
    const newsroom = await openNewsroom(endings);
    const coverage = await bringIn(newsroom, longFeed(UPDATES), 'river');
    const page = `/live/${coverage.slug}`;
    const paths = { 'live page': page, changes: `${page}/changes?after=${coverage.seq - 1}` };

    const bare = endings.add(startWorker('bare-server.ts'), (worker) => worker.stop());
    const bareUrl = await bare.ask<string>('listen');
    const findings: Finding[] = [];
    for (const [what, path] of Object.entries(paths)) {
      findings.push(await compare(what, newsroom.url + path, bare, bareUrl, AT_LEAST));
    }
    const stop = await keepBusy(endings, newsroom.url, coverage);
    for (const [what, path] of Object.entries(paths)) {
      findings.push(await compare(`${what}, busy`, newsroom.url + path, bare, bareUrl, AT_LEAST_BUSY));
    }
    return [...findings, await stop()];
  },
};

/** Both by turns, who is first changes each time; the ratio is that of neighbours, whom the same noise meets. */
async function compare(
  what: string,
  siteUrl: string,
  bare: Worker,
  bareUrl: string,
  atLeast: number,
): Promise<Finding> {
  const pairs: { site: number; bare: number }[] = [];
  for (let pair = 0; pair < PAIRS + 1; pair++) {
    const { status } = await bare.ask<{ status: number }>('copy', { url: siteUrl, headers: HEADERS });
    if (status !== 200) throw new Error(`${siteUrl} answers ${status}.`);
    const [first, second] = pair % 2 === 0 ? [siteUrl, bareUrl] : [bareUrl, siteUrl];
    const [a, b] = [await measure(first, SLICE_S), await measure(second, SLICE_S)];
    // The first pair warms both up.
    if (pair > 0) pairs.push(first === siteUrl ? { site: a, bare: b } : { site: b, bare: a });
  }
  return {
    what,
    value: median(pairs.map((pair) => pair.site / pair.bare)),
    bound: { atLeast },
    figures: {
      'site/s': median(pairs.map(({ site }) => site)),
      'bare/s': median(pairs.map(({ bare }) => bare)),
    },
  };
}

/** Sends in the readers who are never answered from memory. Answers how to end that, which says how they fared. */
async function keepBusy(endings: Endings, url: string, { slug, seq }: Coverage) {
  const readers = endings.add(startWorker('uncached-readers.ts'), (worker) => worker.stop());
  await readers.ask('start', { url, slug, seq, readers: UNCACHED_READERS });
  const started = performance.now();
  return async (): Promise<Finding> => {
    const answered = await readers.ask<number>('stop');
    const value = answered / ((performance.now() - started) / 1000);
    return { what: 'uncached answers a second meanwhile', value, figures: {} };
  };
}
