import type { Page, WebSocket } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { LIMITS } from '../../src/lib/domain/limits.ts';
import { feed } from '../../src/lib/i18n/feed.ts';
import { test as base } from '../support/browser.ts';
import { startBufferingProxy } from '../support/http-proxies.ts';
import { followLive, openLivePage, setVisibility } from '../support/live-page.ts';
import { call, createLiveCoverage, type Newsroom } from '../support/newsroom.ts';

// Where the newsroom leaves it to the server, one reader may have a socket.
const test = base.extend('ownSite', true).extend('environment', { STOPPRESS_READER_SOCKETS: '1' });

const CHANGES = /\/changes\?after=/;
const REALTIME = /\/realtime\/v1\//;

/** Has the readers of a coverage follow it so; beneath a socket a check would come long after everything else. */
async function follow(
  { people, coverage }: Newsroom,
  reader_follow_mode: 'sockets' | 'checks',
  check_interval_seconds = reader_follow_mode === 'sockets' ? 300 : null,
) {
  const { client } = people.editor;
  const { data } = await client.from('coverages').select('version').eq('id', coverage.id).single();
  const content = { reader_follow_mode, check_interval_seconds };
  await call(client, 'save_coverage', { coverage_id: coverage.id, version: data?.version, content });
}

/** The next socket of a page, when it has joined its coverage's channel. */
async function joined(page: Page): Promise<WebSocket> {
  const socket = await page.waitForEvent('websocket', (socket) => REALTIME.test(socket.url()));
  await socket.waitForEvent('framereceived', ({ payload }) => String(payload).includes('"status":"ok"'));
  return socket;
}

/** What a page asks the site for from now on. */
function watch(page: Page) {
  const questions: string[] = [];
  const sockets: WebSocket[] = [];
  const scripts: Promise<string>[] = [];
  page.on('request', (request) => {
    if (CHANGES.test(request.url())) questions.push(new URL(request.url()).search);
  });
  page.on('response', (response) => {
    if (response.url().endsWith('.js')) scripts.push(response.text());
  });
  page.on('websocket', (socket) => sockets.push(socket));
  return {
    questions: () => questions.splice(0),
    sockets: () => sockets.length,
    open: () => sockets.filter((socket) => !socket.isClosed()).length,
    /** Has the script come that speaks to sockets? */
    hasLibrary: async () => (await Promise.all(scripts)).some((text) => text.includes('phx_join')),
  };
}

test('what happens appears at once, by one question for each', async ({ newsroom, visit }) => {
  await follow(newsroom, 'sockets');
  const { page } = await visit();
  const joining = joined(page);
  const reader = await openLivePage(page, newsroom.coverage.slug);
  const socket = await joining;
  // What happened before the page heard.
  await expect.poll(reader.numbers).toEqual([]);
  const seen = watch(page);
  const update = await newsroom.publish({ headline: 'The bridge is closed' });
  await expect.poll(reader.numbers).toEqual([1]);
  expect(seen.questions().at(-1)).toBe('?after=2&until=3');
  expect(await reader.status()).toMatch(/^Live · checked \d\d:\d\d · newest \d\d:\d\d/);
  await newsroom.withdraw(update, 'It is open.');
  await expect.poll(() => reader.text(1)).toContain('It is open.');
  expect(await reader.text(1)).not.toContain('The bridge');
  expect(seen.questions()).toEqual(['?after=3&until=4']);
  const closed = socket.waitForEvent('close');
  await newsroom.setState('ended');
  await expect.poll(reader.status).toMatch(/^Ended/);
  await closed;
});

test('while the page is paused or in the back it hears nothing; then it catches up and hears again', async ({
  newsroom,
  visit,
}) => {
  await follow(newsroom, 'sockets');
  const { page } = await visit();
  const first = joined(page);
  const reader = await openLivePage(page, newsroom.coverage.slug);
  const closed = (await first).waitForEvent('close');
  await page.getByRole('button', { name: 'Pause' }).click();
  await closed;
  const seen = watch(page);
  await newsroom.publish();
  await page.clock.fastForward('10:00');
  expect([seen.sockets(), seen.questions(), await reader.numbers()]).toEqual([0, [], []]);

  const second = joined(page);
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect.poll(reader.numbers).toEqual([1]);
  const closedAgain = (await second).waitForEvent('close');
  await setVisibility(page, 'hidden');
  await closedAgain;
  await newsroom.publish();
  const third = joined(page);
  await setVisibility(page, 'visible');
  await expect.poll(reader.numbers).toEqual([2, 1]);
  await third;
  await newsroom.publish();
  await expect.poll(reader.numbers).toEqual([3, 2, 1]);
});

test('open pages go with the setting, and who follows by checks loads nothing for sockets', async ({
  newsroom,
  visit,
}) => {
  await follow(newsroom, 'checks');
  const { page } = await visit();
  const seen = watch(page);
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await newsroom.publish();
  await reader.nextCheck();
  await expect.poll(reader.numbers).toEqual([1]);
  expect([await seen.hasLibrary(), seen.sockets()]).toEqual([false, 0]);

  const socket = joined(page);
  await follow(newsroom, 'sockets');
  await reader.nextCheck();
  await socket;
  expect(await seen.hasLibrary()).toBe(true);
  await newsroom.publish();
  await expect.poll(reader.numbers).toEqual([2, 1]);

  await follow(newsroom, 'checks');
  await expect.poll(seen.open).toBe(0);
  await newsroom.publish();
  await reader.nextCheck();
  await expect.poll(reader.numbers).toEqual([3, 2, 1]);
  expect(seen.sockets()).toBe(1);
});

test('a surge moves open pages to slow checks within a minute, and its end moves them back', async ({
  site,
  newsroom,
  visit,
}) => {
  await follow(newsroom, 'sockets', 10);
  const { slug } = newsroom.coverage;
  /** Says it, and waits until the site's own copies of a moment ago say so too. */
  const surge = async (mode: string, says: string) => {
    await call(newsroom.people.editor.client, 'set_surge', { mode });
    const answer = async () => (await fetch(`${site.url}/live/${slug}/changes?after=2`)).text();
    await expect.poll(answer).toContain(says);
  };
  onTestFinished(() => call(newsroom.people.editor.client, 'set_surge', { mode: 'auto' }));
  const { page } = await visit();
  const joining = joined(page);
  const reader = await openLivePage(page, slug);
  const socket = await joining;
  // Once there was nothing the next check is no sooner than 40 s later: what moves the page until then is the message.
  const quiet = page.waitForResponse(CHANGES);
  await page.clock.runFor(30_000);
  await quiet;
  const [closed, told] = [
    socket.waitForEvent('close'),
    socket.waitForEvent('framereceived', ({ payload }) => String(payload).includes('follow')),
  ];
  await surge('on', 'data-follow="checks" data-interval="60"');
  await told;
  await page.clock.runFor(LIMITS.follow_jitter_ms);
  await closed;
  const rarely = page.getByText(feed.every(60));
  await rarely.waitFor();

  await surge('off', 'data-follow="sockets"');
  const again = joined(page);
  await page.clock.runFor(60_000);
  await again;
  await newsroom.publish();
  await expect.poll(reader.numbers).toEqual([1]);
  expect(await rarely.count()).toBe(0);
});

test('a page whose script for sockets is gone asks for it once, follows by checks and leads to another edition', async ({
  newsroom,
  visit,
}) => {
  await follow(newsroom, 'sockets', 10);
  const { page, expectError } = await visit();
  expectError(/404/);
  let asked = 0;
  await page.route('**/_astro/socket.*', (route) => {
    asked++;
    return route.fulfill({ status: 404 });
  });
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await page.getByRole('link', { name: feed.reload.newer }).waitFor();
  await newsroom.publish();
  await reader.nextCheck();
  await expect.poll(reader.numbers).toEqual([1]);
  await reader.nextCheck();
  expect(asked).toBe(1);
});

test('where no socket opens the page asks at each interval, and tries again seldom', async ({
  newsroom,
  visit,
}) => {
  const { page } = await visit();
  let refused = 0;
  await page.routeWebSocket(REALTIME, async (socket) => {
    refused++;
    await socket.close({ code: 1008 });
  });
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await expect.poll(() => refused).toBe(1);
  await newsroom.publish();
  await reader.nextCheck();
  await expect.poll(reader.numbers).toEqual([1]);
  expect(await reader.status()).toMatch(/^Live/);
  await expect.poll(() => refused).toBe(2);
  await page.clock.fastForward(20_500);
  await expect.poll(() => refused).toBe(3);
  await page.unrouteAll();
});

test('a socket that is lost is opened again, and what was missed meanwhile comes', async ({
  newsroom,
  visit,
}) => {
  const { page } = await visit();
  let lines = 0;
  let cut = () => {};
  const heard: string[] = [];
  await page.routeWebSocket(REALTIME, (socket) => {
    lines++;
    const server = socket.connectToServer();
    server.onMessage((message) => {
      heard.push(String(message));
      socket.send(message);
    });
    cut = () => {
      server.close();
      socket.close({ code: 1012 });
    };
  });
  const reader = await openLivePage(page, newsroom.coverage.slug);
  const hears = () => heard.some((message) => message.includes('"status":"ok"'));
  await expect.poll(hears).toBe(true);
  heard.length = 0;
  cut();
  await newsroom.publish();
  await page.clock.fastForward(10_500);
  await expect.poll(reader.numbers).toEqual([1]);
  await expect.poll(hears).toBe(true);
  expect(lines).toBe(2);
  // A check beneath the socket may be the one that brings it; that it was told of, the socket alone can say.
  const told = () => heard.some((message) => message.includes('"seq"'));
  expect(told()).toBe(false);
  await newsroom.publish();
  await expect.poll(reader.numbers).toEqual([2, 1]);
  await expect.poll(told).toBe(true);
});

test('a socket whose other end is gone without a word is given up, and what was missed comes', async ({
  newsroom,
  visit,
}) => {
  const { page } = await visit();
  let lines = 0;
  let joined = false;
  let isGone = false;
  await page.routeWebSocket(REALTIME, (socket) => {
    const line = ++lines;
    const server = socket.connectToServer();
    const passes = () => line > 1 || !isGone;
    socket.onMessage((message) => passes() && server.send(message));
    server.onMessage((message) => {
      joined ||= String(message).includes('"status":"ok"');
      if (passes()) socket.send(message);
    });
  });
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await expect.poll(() => joined).toBe(true);
  isGone = true;
  await newsroom.publish();
  // Two beats: the first is not answered, which the second finds.
  for (let beat = 0; beat < 3 && lines < 2; beat++) await page.clock.fastForward(25_500);
  await expect.poll(() => lines).toBe(2);
  await expect.poll(reader.numbers).toEqual([1]);
  await newsroom.publish();
  await expect.poll(reader.numbers).toEqual([2, 1]);
});

test('behind a proxy that holds answers back and lets no socket through, the page follows by checks and knocks seldom', async ({
  site,
  newsroom,
  visit,
}) => {
  const proxy = await startBufferingProxy(site.url);
  onTestFinished(() => proxy.close());
  const { page, expectError } = await visit({ baseURL: proxy.url });
  expectError(/WebSocket/);
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await expect.poll(proxy.sockets).toBe(1);
  await newsroom.publish();
  await reader.nextCheck();
  await expect.poll(reader.numbers).toEqual([1]);
  expect(await reader.status()).toMatch(/^Live/);
  for (let check = 0; check < 6; check++) await reader.nextCheck();
  await newsroom.publish();
  await reader.nextCheck();
  await expect.poll(reader.numbers).toEqual([2, 1]);
  // In more than a minute.
  expect(proxy.sockets()).toBeLessThan(8);
});

test('on a line that saves data the page follows by checks, once it is asked to', async ({
  newsroom,
  visit,
}) => {
  await follow(newsroom, 'sockets');
  const { page } = await visit();
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'connection', { value: { saveData: true } });
  });
  const seen = watch(page);
  const reader = await openLivePage(page, newsroom.coverage.slug, () => followLive(page).click());
  await newsroom.publish();
  await page.clock.fastForward('05:00');
  await expect.poll(reader.numbers).toEqual([1]);
  expect([await seen.hasLibrary(), seen.sockets()]).toEqual([false, 0]);
});

test('when as many have a socket as the server is to bear, they keep it, and who comes then follows by checks', async ({
  people,
  newsroom,
  visit,
}) => {
  const first = (await visit()).page;
  const socket = joined(first);
  const reader = await openLivePage(first, newsroom.coverage.slug);
  await socket;
  const another = await createLiveCoverage(people);
  const second = (await visit()).page;
  const seen = watch(second);
  const latecomer = await openLivePage(second, another.coverage.slug);
  await another.publish();
  await latecomer.nextCheck();
  await expect.poll(latecomer.numbers).toEqual([1]);
  expect([await seen.hasLibrary(), seen.sockets()]).toEqual([false, 0]);

  const told = first.waitForResponse(CHANGES);
  await newsroom.publish();
  expect(await (await told).text()).toContain('data-follow="full"');
  await newsroom.publish();
  await expect.poll(reader.numbers).toEqual([2, 1]);
  expect((await socket).isClosed()).toBe(false);
});
