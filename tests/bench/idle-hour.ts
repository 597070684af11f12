import type { Browser } from 'playwright-core';
import { launchChromium } from '../support/chromium.ts';
import type { LatencyProxy } from '../support/network-latency.ts';
import type { Bench } from './bench.ts';
import { realFeed } from './dense.ts';
import {
  bringInBoth,
  INTERVAL_S,
  openFarNewsroom,
  openLineTo,
  questionsOn,
  untilQuiet,
} from './far-newsroom.ts';
import type { Finding } from './figures.ts';
import { followPage, SHORT } from './followed-page.ts';

const HOUR_S = 3600;
/** Shorter than any interval of the page. A socket's heartbeat falls at the end of a step. */
const STEP_S = 5;
/** The offline worker has loaded by then. It loads once and is not counted. */
const COPIED_S = 15;
const AT_MOST = 40_000;

/** The cost of an open page without changes. */
export const idleHour: Bench = {
  head: 'bytes',
  about:
    'All bytes, both ways at the socket, of a live page that is open in Chromium for an hour while nothing happens.\n' +
    `The page's clock is turned on by ${STEP_S} s at a time, and what it then asks is really asked and answered. Whatever a\n` +
    'server does by itself in an hour is not in it: this one says nothing unless it is asked.',
  async run(endings) {
    const { line, newsroom } = await openFarNewsroom(endings, SHORT);
    const { feed, note } = await realFeed(100);
    const { bySocket, byChecks } = await bringInBoth(newsroom, feed);
    const browser = endings.add(await launchChromium(), (chromium) => chromium.close());
    const other = await openLineTo(endings, newsroom, SHORT);
    const [sockets, checks] = await Promise.all([
      sitThrough(browser, line, `/live/${bySocket.slug}`, 'sockets'),
      sitThrough(browser, other, `/live/${byChecks.slug}`, 'checks'),
    ]);
    return {
      findings: [
        { what: 'followed by socket', bound: { atMost: AT_MOST }, ...sockets },
        { what: `followed by checks each ${INTERVAL_S} s`, ...checks },
      ],
      notes: [note],
    };
  },
};

async function sitThrough(
  browser: Browser,
  line: LatencyProxy,
  path: string,
  by: 'sockets' | 'checks',
): Promise<Pick<Finding, 'value' | 'figures'>> {
  const { page, pass } = await followPage(browser, line, path, by);
  await pass(COPIED_S);
  await untilQuiet(line, 1_000);
  line.reset();
  let opened = 0;
  page.on('websocket', () => opened++);
  for (let passed = 0; passed < HOUR_S; passed += STEP_S) await pass(STEP_S);
  if (opened > 0) throw new Error(`The socket was lost, and opened ${opened} times again.`);
  const { up, down } = line.bytes();
  const asked = questionsOn(line);
  const checks = asked.reduce((all, one) => all + one.up + one.down, 0);
  return {
    value: up + down,
    figures: { up, down, checks: asked.length, 'bytes of checks': checks, 'of the rest': up + down - checks },
  };
}
