import type { Browser } from 'playwright-core';
import { launchChromium } from '../support/chromium.ts';
import { type LatencyProxy, type NetworkProfile, startLatencyProxy } from '../support/network-latency.ts';
import type { Bench } from './bench.ts';
import { denseFeed, mustBeDense } from './dense.ts';
import type { Endings } from './endings.ts';
import { type Finding, median } from './figures.ts';
import { FAIR, FAR } from './lines.ts';
import { importLiveFeed, openNewsroom } from './newsroom.ts';
import { type Paint, paintOf } from './paint.ts';
import { type Read, readRaw } from './raw-reader.ts';
import { roundsOf } from './rounds.ts';
import { startWorker } from './worker.ts';
import { HEADERS } from './wrk.ts';

const RUNS = 5;
const LINES = { '400 ms, 400 kbit/s': FAR, '150 ms, 1.6 Mbit/s': FAIR };
/** Enough for the newest page and its key events. */
const UPDATES = 100;

/** After this many requests the copy is compressed with the best quality. */
const ASKED = 4;
const LONGEST_PACKING_MS = 10_000;

const AT_MOST = 1.1;

/** Time from connecting to the first words, compared with a bare server of the same bytes. */
export const firstWords: Bench = {
  head: 'value',
  about:
    "The densest live page through a line that holds back what it carries as a real one does, and TCP's first window\n" +
    `of ten segments. Beside it, through the same line, a bare Node server of the same bytes and headers, by turns; ` +
    `medians of ${RUNS}\nruns. ms: from the connecting (whose handshake is one round trip more).`,
  async run(endings) {
    const newsroom = await openNewsroom(endings);
    const { feed, note } = await denseFeed(UPDATES);
    const colds: string[] = [];
    for (let n = 0; n < 2 * RUNS + 1; n++)
      colds.push((await importLiveFeed(newsroom, feed, `cold-${n}`)).slug);
    const { slug } = await importLiveFeed(newsroom, feed, 'warm');
    const bare = endings.add(startWorker('bare-server.ts'), (worker) => worker.stop());
    const browser = endings.add(await launchChromium(), (chromium) => chromium.close());
    const scene: Scene = {
      endings,
      browser,
      site: newsroom.url,
      bare: await bare.ask<string>('listen'),
      copy: (path) => bare.ask('copy', { url: newsroom.url + path, headers: HEADERS }),
    };

    // The first request of all also starts parts of the site that all readers share.
    mustBeDense(await (await fetch(`${newsroom.url}/live/${colds.pop()}`)).text());
    const findings: Finding[] = [];
    for (const [name, manner] of Object.entries(LINES)) {
      findings.push(...(await cold(scene, name, manner, colds.splice(0, RUNS).map(path))));
    }
    await packBest(newsroom.url + path(slug));
    for (const [name, manner] of Object.entries(LINES)) {
      findings.push(...(await warm(scene, name, manner, path(slug))));
    }
    return { findings, notes: [note] };
  },
};

type Scene = {
  endings: Endings;
  browser: Browser;
  site: string;
  bare: string;
  /** Copies the site's response for this path to the bare server. */
  copy(path: string): Promise<unknown>;
};

const path = (slug: string) => `/live/${slug}`;

/** Requests a page until its size no longer shrinks. */
async function packBest(url: string): Promise<void> {
  const bytes = async () => {
    const answer = await fetch(url, { headers: HEADERS });
    await answer.arrayBuffer();
    return Number(answer.headers.get('content-length'));
  };
  const first = await bytes();
  const until = performance.now() + LONGEST_PACKING_MS;
  for (let asked = 1; asked < ASKED || (await bytes()) === first; asked++) {
    if (performance.now() > until) return;
  }
}

type Pair<Figure> = { site: Figure; bare: Figure };

/** Each page is new: rendered and compressed for its first reader. The bare server is measured afterwards. */
async function cold(
  { endings, site, bare, copy }: Scene,
  name: string,
  manner: NetworkProfile,
  paths: string[],
) {
  const line = await openLine(endings, site, manner);
  const pairs: Pair<Words>[] = [];
  for (const one of paths) {
    const first = await readOver(line, site, one);
    await copy(one);
    pairs.push({ site: first, bare: await readOver(line, bare, one) });
  }
  return findingsOf(`${name}, first reader`, pairs);
}

async function warm(
  { endings, browser, site, bare, copy }: Scene,
  name: string,
  manner: NetworkProfile,
  one: string,
) {
  const line = await openLine(endings, site, manner);
  await copy(one);
  const read = await byTurns((server) => readOver(line, { site, bare }[server], one));
  const painted = await byTurns((server) => {
    line.setTarget({ site, bare }[server]);
    return paintOf(browser, line.url + one);
  });
  return [...findingsOf(name, read), ...paintFindings(name, painted)];
}

/** Measures both alternately, in changing order. */
async function byTurns<Figure>(
  measure: (server: 'site' | 'bare') => Promise<Figure>,
): Promise<Pair<Figure>[]> {
  const pairs: Pair<Figure>[] = [];
  for (let run = 0; run < RUNS; run++) {
    const pair = {} as Pair<Figure>;
    for (const turn of run % 2 === 0 ? (['site', 'bare'] as const) : (['bare', 'site'] as const)) {
      pair[turn] = await measure(turn);
    }
    pairs.push(pair);
  }
  return pairs;
}

const openLine = async (endings: Endings, to: string, manner: NetworkProfile): Promise<LatencyProxy> =>
  endings.add(await startLatencyProxy(to, manner), (line) => line.close());

/** A response, and its round trips after connecting. */
type Words = Read & { whole: number; words: number };

async function readOver(line: LatencyProxy, server: string, one: string): Promise<Words> {
  line.setTarget(server);
  line.reset();
  const read = await readRaw(line.url + one);
  const rounds = line.exchanges()[0]?.rounds ?? [];
  return { ...read, whole: rounds.length, words: roundsOf(rounds, read.firstWords) };
}

function findingsOf(what: string, pairs: Pair<Words>[]): Finding[] {
  const middle = (figure: (pair: Pair<Words>) => number) => median(pairs.map(figure));
  const bytes = middle(({ site }) => site.bytes);
  return [
    {
      what: `${what}: round trips to the whole page`,
      value: Math.max(...pairs.map(({ site }) => site.whole)),
      bound: { atMost: 1 },
      figures: { bytes, 'to words': Math.max(...pairs.map(({ site }) => site.words)) },
    },
    {
      what: `${what}: time against bare`,
      value: middle(({ site, bare }) => site.took / bare.took),
      bound: { atMost: AT_MOST },
      figures: { 'site ms': middle(({ site }) => site.took), 'bare ms': middle(({ bare }) => bare.took) },
    },
  ];
}

function paintFindings(what: string, pairs: Pair<Paint>[]): Finding[] {
  return (['first', 'largest'] as const).map((which) => ({
    what: `${what}: ${which} paint against bare`,
    value: median(pairs.map(({ site, bare }) => site[which] / bare[which])),
    bound: { atMost: AT_MOST },
    figures: {
      'site ms': median(pairs.map(({ site }) => site[which])),
      'bare ms': median(pairs.map(({ bare }) => bare[which])),
    },
  }));
}
