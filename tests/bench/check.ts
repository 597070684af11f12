import { launchChromium } from '../support/chromium.ts';
import type { Bench } from './bench.ts';
import { realFeed } from './dense.ts';
import { INTERVAL_S, openFarNewsroom, questionsOn, setCoverage } from './far-newsroom.ts';
import { median } from './figures.ts';
import { followPage, SHORT } from './followed-page.ts';
import { importLiveFeed } from './newsroom.ts';

const CHECKS = 10;
const AT_MOST = 700;

/** The cost of a check without changes. */
export const check: Bench = {
  head: 'bytes',
  about:
    `A live page open in Chromium asks what is new, and nothing is: bytes of its own request and of the answer, at the\n` +
    `socket, with the connection kept; the median of ${CHECKS} checks. Only the page's clock goes faster.`,
  async run(endings) {
    const { line, newsroom } = await openFarNewsroom(endings, SHORT);
    const { feed, note } = await realFeed(100);
    const coverage = await importLiveFeed(newsroom, feed, 'check');
    await setCoverage(newsroom, coverage, {
      reader_follow_mode: 'checks',
      check_interval_seconds: INTERVAL_S,
    });
    const browser = endings.add(await launchChromium(), (chromium) => chromium.close());
    const { pass } = await followPage(browser, line, `/live/${coverage.slug}`, 'checks');
    for (let n = 0; n < CHECKS; n++) await pass(INTERVAL_S);

    const checks = questionsOn(line);
    if (checks.length < CHECKS) throw new Error(`The page asked ${checks.length} times, not ${CHECKS}.`);
    const up = median(checks.map((one) => one.up));
    const down = median(checks.map((one) => one.down));
    const connections = new Set(checks.map(({ connection }) => connection)).size;
    return {
      findings: [
        {
          what: 'a check without news, both ways',
          value: median(checks.map((one) => one.up + one.down)),
          bound: { atMost: AT_MOST },
          figures: { up, down, checks: checks.length, connections },
        },
      ],
      notes: [note],
    };
  },
};
