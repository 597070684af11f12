import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { launchChromium } from '../support/chromium.ts';
import type { LatencyProxy } from '../support/network-latency.ts';
import type { Bench } from './bench.ts';
import { realFeed, wordsOf } from './dense.ts';
import { bringInBoth, openFarNewsroom, openLineTo, questionsOn, untilQuiet } from './far-newsroom.ts';
import { type Finding, median } from './figures.ts';
import { type FollowedPage, followPage, SHORT } from './followed-page.ts';
import { type Coverage, signedIn } from './newsroom.ts';

const UPDATES = 5;
const WORDS = 95;
const AT_MOST = 1_200;

/** The cost of one more update for each reader. */
export const oneUpdate: Bench = {
  head: 'received',
  about:
    `An update of ${WORDS} words is published while Chromium has the page open: all bytes that it receives until the words ` +
    `stand there,\nat the socket (the goal), and all that it sends; medians of ${UPDATES} updates.`,
  async run(endings) {
    const { line, newsroom } = await openFarNewsroom(endings, SHORT);
    const { feed, note } = await realFeed(100);
    const { bySocket, byChecks } = await bringInBoth(newsroom, feed);
    const reporter = await signedIn(newsroom, 'reporter');
    const browser = endings.add(await launchChromium(), (chromium) => chromium.close());
    const other = await openLineTo(endings, newsroom, SHORT);
    const told = await followPage(browser, line, `/live/${bySocket.slug}`, 'sockets');
    const asking = await followPage(browser, other, `/live/${byChecks.slug}`, 'checks');

    const costs: Record<'socket' | 'checks', Cost[]> = { socket: [], checks: [] };
    for (let n = 0; n < UPDATES; n++) {
      const text = wordsOf(feed, n * WORDS, WORDS);
      costs.socket.push(await publish(reporter, bySocket, text, told, line));
      costs.checks.push(await publish(reporter, byChecks, text, asking, other));
    }
    return {
      findings: [findingOf('by socket', costs.socket), findingOf('by checks', costs.checks)],
      notes: [note],
    };
  },
};

type Cost = { up: number; down: number; answer: number };

/** Publishes, advances the page's clock until the update appears, and returns the transferred bytes. */
async function publish(
  reporter: SupabaseClient,
  coverage: Coverage,
  text: string,
  { page, pass }: FollowedPage,
  line: LatencyProxy,
): Promise<Cost> {
  await untilQuiet(line);
  line.reset();
  const { data } = await reporter
    .rpc('publish_update', {
      idempotency_key: randomUUID(),
      coverage_id: coverage.id,
      update_id: randomUUID(),
      content: { body: [{ type: 'paragraph', runs: [{ text }] }] },
    })
    .throwOnError();
  const article = page.locator(`#update-${data.number}`);
  while ((await article.count()) === 0) await pass(1);
  const [answer] = questionsOn(line);
  return { ...line.bytes(), answer: answer?.down ?? Number.NaN };
}

function findingOf(what: string, costs: Cost[]): Finding {
  const middle = (figure: (cost: Cost) => number) => median(costs.map(figure));
  return {
    what: `received with an update of ${WORDS} words ${what}`,
    value: middle(({ down }) => down),
    bound: { atMost: AT_MOST },
    figures: {
      answer: middle(({ answer }) => answer),
      sent: middle(({ up }) => up),
      'both ways': middle(({ up, down }) => up + down),
    },
  };
}
