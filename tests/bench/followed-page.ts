import { setTimeout as wait } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import type { LatencyProxy, NetworkProfile } from '../support/network-latency.ts';
import { untilQuiet } from './far-newsroom.ts';

/** Only bytes are counted, so the connection is fast. */
export const SHORT: NetworkProfile = { roundTrip: 4, up: 1_000_000, down: 1_000_000 };

/** Wait for requests that follow a response. */
const QUIET_MS = 50;
const LONGEST_ANSWER_MS = 10_000;

export type FollowedPage = {
  page: Page;
  /** Advances the page's clock, and waits until its requests are answered. */
  pass(seconds: number): Promise<void>;
};

/** Opens and follows a live page with a controlled clock. */
export async function followPage(
  browser: Browser,
  line: LatencyProxy,
  path: string,
  by: 'sockets' | 'checks',
): Promise<FollowedPage> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
  const page = await context.newPage();
  await page.clock.install();
  const open = openQuestions(page);
  const ready: Promise<unknown>[] = [page.waitForResponse(/\/changes\?after=/)];
  if (by === 'sockets') {
    ready.push(page.waitForEvent('websocket').then((socket) => socket.waitForEvent('framereceived')));
  }
  await page.goto(line.url + path);
  await Promise.all(ready);
  await untilQuiet(line, 1_000);
  line.reset();
  return {
    page,
    async pass(seconds) {
      await page.clock.runFor(seconds * 1000);
      const late = performance.now() + LONGEST_ANSWER_MS;
      while (open() > 0 && performance.now() < late) await wait(1);
      await untilQuiet(line, QUIET_MS);
    },
  };
}

/** Number of open requests of a page, by fetch or socket. */
function openQuestions(page: Page): () => number {
  let fetched = 0;
  const sockets: { sent: number; received: number }[] = [];
  page.on('request', () => fetched++);
  page.on('requestfinished', () => fetched--);
  page.on('requestfailed', () => fetched--);
  page.on('websocket', (socket) => {
    const frames = { sent: 0, received: 0 };
    sockets.push(frames);
    socket.on('framesent', () => frames.sent++);
    socket.on('framereceived', () => frames.received++);
    socket.on('close', () => {
      frames.received = frames.sent;
    });
  });
  return () =>
    sockets.reduce((all, { sent, received }) => all + Math.max(0, sent - received), Math.max(0, fetched));
}
