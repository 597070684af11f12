import lighthouse from 'lighthouse';
import { launchChromium } from '../support/chromium.ts';
import { freePort } from '../support/processes.ts';
import type { Bench } from './bench.ts';
import { denseFeed, mustBeDense } from './dense.ts';
import { type Finding, median } from './figures.ts';
import { importLiveFeed, openNewsroom } from './newsroom.ts';

const RUNS = 5;
/** The browser's trace sometimes lacks its beginning. */
const TRIES = 3;
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const;
const AT_LEAST = { performance: 99, accessibility: 100, 'best-practices': 100, seo: 100 };

type Category = (typeof CATEGORIES)[number];
type Scores = Record<Category, number>;
/** Failed audits by name. */
type Run = { scores: Scores; failed: string[]; ms: Record<string, number> };

/** Lighthouse scores of the front page and the live page on a phone. */
export const byLighthouse: Bench = {
  head: 'score',
  about:
    `Lighthouse with its default settings, which simulate a phone on a slow connection; medians of ${RUNS} runs that ` +
    'alternate\nbetween the two pages.',
  async run(endings) {
    const newsroom = await openNewsroom(endings);
    const { feed, note } = await denseFeed(100);
    const { slug } = await importLiveFeed(newsroom, feed, 'live');
    mustBeDense(await (await fetch(`${newsroom.url}/live/${slug}`)).text());
    const port = await freePort();
    endings.add(await launchChromium([`--remote-debugging-port=${port}`]), (chromium) => chromium.close());
    const pages = { 'live page': `/live/${slug}`, 'front page': '/' };
    const runs: Record<string, Run[]> = { 'live page': [], 'front page': [] };
    for (let run = 0; run < RUNS; run++) {
      const turns = Object.entries(pages);
      for (const [name, path] of run % 2 === 0 ? turns : turns.reverse()) {
        runs[name]?.push(await audit(newsroom.url + path, port));
      }
    }
    const findings = Object.entries(runs).flatMap(([name, made]) => report(name, made));
    const failed = Object.entries(runs).flatMap(([name, made]) =>
      [...new Set(made.flatMap((run) => run.failed))].map((audit) => `${name}: ${audit}`),
    );
    return { findings, notes: [note, ...failed] };
  },
};

async function audit(url: string, port: number, tries = TRIES): Promise<Run> {
  const result = await lighthouse(url, { port, logLevel: 'error', onlyCategories: [...CATEGORIES] });
  if (!result || result.lhr.runtimeError) {
    if (tries > 1) return audit(url, port, tries - 1);
    throw new Error(`Lighthouse did not finish: ${result?.lhr.runtimeError?.message ?? url}`);
  }
  const { categories, audits } = result.lhr;
  const scores = {} as Scores;
  const failed: string[] = [];
  for (const name of CATEGORIES) {
    const category = categories[name];
    scores[name] = 100 * (category?.score ?? Number.NaN);
    for (const { id, weight } of category?.auditRefs ?? []) {
      const audit = audits[id];
      if (weight > 0 && audit && audit.score !== null && audit.score < 1) {
        failed.push(
          `${name}: ${audit.title} (${id}, ${Math.round(audit.score * 100)}) ${audit.displayValue ?? ''}`,
        );
      }
    }
  }
  const ms = (id: string) => audits[id]?.numericValue ?? Number.NaN;
  return {
    scores,
    failed,
    ms: {
      'first paint': ms('first-contentful-paint'),
      'largest paint': ms('largest-contentful-paint'),
      blocked: ms('total-blocking-time'),
      shift: ms('cumulative-layout-shift'),
    },
  };
}

function report(name: string, runs: Run[]): Finding[] {
  const times = Object.keys(runs[0]?.ms ?? {});
  return CATEGORIES.map((category) => ({
    what: `${name}: ${category}`,
    value: median(runs.map(({ scores }) => scores[category])),
    bound: { atLeast: AT_LEAST[category] },
    figures:
      category === 'performance'
        ? Object.fromEntries(
            times.map((time) => [time, median(runs.map(({ ms }) => ms[time] ?? Number.NaN))]),
          )
        : {},
  }));
}
