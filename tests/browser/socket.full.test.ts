import type { Page, WebSocket } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { LIMITS } from '../../src/lib/domain/limits.ts';
import { feed } from '../../src/lib/i18n/en/live-feed.ts';
import { test as base } from '../support/browser.ts';
import { startBufferingProxy } from '../support/http-proxies.ts';
import { followLive, openLivePage, setVisibility } from '../support/live-page.ts';
import { call, createLiveCoverage, type Newsroom } from '../support/newsroom.ts';

// In mode auto, the server allows one reader socket.
const test = base.extend('ownSite', true).extend('environment', { STOPPRESS_READER_SOCKETS: '1' });

const CHANGES = /\/changes\?after=/;
const REALTIME = /\/realtime\/v1\//;

/** Sets the reader follow mode. With sockets the interval is long, so that no check precedes the message. */
async function setFollowMode(
  { people, coverage }: Newsroom,
  reader_follow_mode: 'sockets' | 'checks',
  check_interval_seconds = reader_follow_mode === 'sockets' ? 300 : null,
) {
  const { client } = people.editor;
  const { data } = await client.from('coverages').select('version').eq('id', coverage.id).single();
  const content = { reader_follow_mode, check_interval_seconds };
  await call(client, 'save_coverage', { coverage_id: coverage.id, version: data?.version, content });
}

/** Waits for the page's next socket, after it has joined the channel of its coverage. */
async function socketJoined(page: Page): Promise<WebSocket> {
  const socket = await page.waitForEvent('websocket', (socket) => REALTIME.test(socket.url()));
  await socket.waitForEvent('framereceived', ({ payload }) => String(payload).includes('"status":"ok"'));
  return socket;
}

/** Records the checks, sockets and scripts of a page from now on. */
function recordTraffic(page: Page) {
  const checks: string[] = [];
  const sockets: WebSocket[] = [];
  const scripts: Promise<string>[] = [];
  page.on('request', (request) => {
    if (CHANGES.test(request.url())) checks.push(new URL(request.url()).search);
  });
  page.on('response', (response) => {
    if (response.url().endsWith('.js')) scripts.push(response.text());
  });
  page.on('websocket', (socket) => sockets.push(socket));
  return {
    checks: () => checks.splice(0),
    sockets: () => sockets.length,
    open: () => sockets.filter((socket) => !socket.isClosed()).length,
    /** Whether the page has loaded the script for sockets. */
    hasLibrary: async () => (await Promise.all(scripts)).some((text) => text.includes('phx_join')),
  };
}

test('shows each change at once, with one request per change', async ({ newsroom, visit }) => {
  await setFollowMode(newsroom, 'sockets');
  const { page } = await visit();
  const joining = socketJoined(page);
  const reader = await openLivePage(page, newsroom.coverage.slug);
  const socket = await joining;
  // The changes before the page joined.
  await expect.poll(reader.numbers).toEqual([]);
  const traffic = recordTraffic(page);
  const update = await newsroom.publish({ headline: 'The bridge is closed' });
  await expect.poll(reader.numbers).toEqual([1]);
  expect(traffic.checks().at(-1)).toBe('?after=2&until=3');
  expect(await reader.status()).toMatch(/^Live · Updated \d\d:\d\d/);
  await newsroom.withdraw(update, 'It is open.');
  await expect.poll(() => reader.text(1)).toContain('It is open.');
  expect(await reader.text(1)).not.toContain('The bridge');
  expect(traffic.checks()).toEqual(['?after=3&until=4']);
  const closed = socket.waitForEvent('close');
  await newsroom.setState('ended');
  await expect.poll(reader.status).toMatch(/^Ended/);
  await closed;
});

test('closes its socket while paused or hidden, and catches up and reconnects afterwards', async ({
  newsroom,
  visit,
}) => {
  await setFollowMode(newsroom, 'sockets');
  const { page } = await visit();
  const first = socketJoined(page);
  const reader = await openLivePage(page, newsroom.coverage.slug);
  const closed = (await first).waitForEvent('close');
  await page.getByRole('button', { name: 'Pause' }).click();
  await closed;
  const traffic = recordTraffic(page);
  await newsroom.publish();
  await page.clock.fastForward('10:00');
  expect([traffic.sockets(), traffic.checks(), await reader.numbers()]).toEqual([0, [], []]);

  const second = socketJoined(page);
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect.poll(reader.numbers).toEqual([1]);
  const closedAgain = (await second).waitForEvent('close');
  await setVisibility(page, 'hidden');
  await closedAgain;
  await newsroom.publish();
  const third = socketJoined(page);
  await setVisibility(page, 'visible');
  await expect.poll(reader.numbers).toEqual([2, 1]);
  await third;
  await newsroom.publish();
  await expect.poll(reader.numbers).toEqual([3, 2, 1]);
});

test('switches open pages to the set mode, and loads no socket script for checks', async ({
  newsroom,
  visit,
}) => {
  await setFollowMode(newsroom, 'checks');
  const { page } = await visit();
  const traffic = recordTraffic(page);
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await newsroom.publish();
  await reader.nextCheck();
  await expect.poll(reader.numbers).toEqual([1]);
  expect([await traffic.hasLibrary(), traffic.sockets()]).toEqual([false, 0]);

  const socket = socketJoined(page);
  await setFollowMode(newsroom, 'sockets');
  await reader.nextCheck();
  await socket;
  expect(await traffic.hasLibrary()).toBe(true);
  await newsroom.publish();
  await expect.poll(reader.numbers).toEqual([2, 1]);

  await setFollowMode(newsroom, 'checks');
  await expect.poll(traffic.open).toBe(0);
  await newsroom.publish();
  await reader.nextCheck();
  await expect.poll(reader.numbers).toEqual([3, 2, 1]);
  expect(traffic.sockets()).toBe(1);
});

test('switches open pages to slow checks during a surge, and back within a minute', async ({
  site,
  newsroom,
  visit,
}) => {
  await setFollowMode(newsroom, 'sockets', 10);
  const { slug } = newsroom.coverage;
  /** Sets the mode and waits until cached responses contain it. */
  const surge = async (mode: string, expected: string) => {
    await call(newsroom.people.editor.client, 'set_surge', { mode });
    const answer = async () => (await fetch(`${site.url}/live/${slug}/changes?after=2`)).text();
    await expect.poll(answer).toContain(expected);
  };
  onTestFinished(() => call(newsroom.people.editor.client, 'set_surge', { mode: 'auto' }));
  const { page } = await visit();
  const joining = socketJoined(page);
  const reader = await openLivePage(page, slug);
  const socket = await joining;
  // After an empty check the next one comes at least 40 s later, so the message switches the page.
  const quiet = page.waitForResponse(CHANGES);
  await page.clock.runFor(30_000);
  await quiet;
  const [closed, message] = [
    socket.waitForEvent('close'),
    socket.waitForEvent('framereceived', ({ payload }) => String(payload).includes('follow')),
  ];
  await surge('on', 'data-follow="checks" data-interval="60"');
  await message;
  await page.clock.runFor(LIMITS.follow_jitter_ms);
  await closed;
  const slowChecks = page.getByText(feed.every(60));
  await slowChecks.waitFor();

  await surge('off', 'data-follow="sockets"');
  const again = socketJoined(page);
  await page.clock.runFor(60_000);
  await again;
  await newsroom.publish();
  await expect.poll(reader.numbers).toEqual([1]);
  expect(await slowChecks.count()).toBe(0);
});

test('follows by checks when its socket script is missing, and offers to reload', async ({
  newsroom,
  visit,
}) => {
  await setFollowMode(newsroom, 'sockets', 10);
  const { page, expectError } = await visit();
  expectError(/404/);
  let requests = 0;
  await page.route('**/_astro/socket.*', (route) => {
    requests++;
    return route.fulfill({ status: 404 });
  });
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await page.getByRole('link', { name: feed.reload.newer }).waitFor();
  await newsroom.publish();
  await reader.nextCheck();
  await expect.poll(reader.numbers).toEqual([1]);
  await reader.nextCheck();
  expect(requests).toBe(1);
});

test('checks at each interval when no socket opens, and retries sockets rarely', async ({
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

test('reopens a lost socket and shows the missed changes', async ({ newsroom, visit }) => {
  const { page } = await visit();
  let connections = 0;
  let cut = () => {};
  const messages: string[] = [];
  await page.routeWebSocket(REALTIME, (socket) => {
    connections++;
    const server = socket.connectToServer();
    server.onMessage((message) => {
      messages.push(String(message));
      socket.send(message);
    });
    cut = () => {
      server.close();
      socket.close({ code: 1012 });
    };
  });
  const reader = await openLivePage(page, newsroom.coverage.slug);
  const hasJoined = () => messages.some((message) => message.includes('"status":"ok"'));
  await expect.poll(hasJoined).toBe(true);
  messages.length = 0;
  cut();
  await newsroom.publish();
  await page.clock.fastForward(10_500);
  await expect.poll(reader.numbers).toEqual([1]);
  await expect.poll(hasJoined).toBe(true);
  expect(connections).toBe(2);
  // A check may bring the update as well, but only the socket brings its message.
  const hasChangeMessage = () => messages.some((message) => message.includes('"seq"'));
  expect(hasChangeMessage()).toBe(false);
  await newsroom.publish();
  await expect.poll(reader.numbers).toEqual([2, 1]);
  await expect.poll(hasChangeMessage).toBe(true);
});

test('replaces a socket whose peer vanished, and shows the missed changes', async ({ newsroom, visit }) => {
  const { page } = await visit();
  let connections = 0;
  let socketJoined = false;
  let isGone = false;
  await page.routeWebSocket(REALTIME, (socket) => {
    const connection = ++connections;
    const server = socket.connectToServer();
    const passes = () => connection > 1 || !isGone;
    socket.onMessage((message) => passes() && server.send(message));
    server.onMessage((message) => {
      socketJoined ||= String(message).includes('"status":"ok"');
      if (passes()) socket.send(message);
    });
  });
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await expect.poll(() => socketJoined).toBe(true);
  isGone = true;
  await newsroom.publish();
  // Two heartbeats: the first gets no reply, and the second detects it.
  for (let heartbeat = 0; heartbeat < 3 && connections < 2; heartbeat++) await page.clock.fastForward(25_500);
  await expect.poll(() => connections).toBe(2);
  await expect.poll(reader.numbers).toEqual([1]);
  await newsroom.publish();
  await expect.poll(reader.numbers).toEqual([2, 1]);
});

test('follows by checks behind a proxy that buffers responses and blocks sockets, and retries rarely', async ({
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
  // During more than a minute.
  expect(proxy.sockets()).toBeLessThan(8);
});

test('follows by checks while data is saved, after the reader asked for it', async ({ newsroom, visit }) => {
  await setFollowMode(newsroom, 'sockets');
  const { page } = await visit();
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'connection', { value: { saveData: true } });
  });
  const traffic = recordTraffic(page);
  const reader = await openLivePage(page, newsroom.coverage.slug, () => followLive(page).click());
  await newsroom.publish();
  await page.clock.fastForward('05:00');
  await expect.poll(reader.numbers).toEqual([1]);
  expect([await traffic.hasLibrary(), traffic.sockets()]).toEqual([false, 0]);
});

test("keeps existing sockets at the server's limit, and lets later pages follow by checks", async ({
  people,
  newsroom,
  visit,
}) => {
  const first = (await visit()).page;
  const socket = socketJoined(first);
  const reader = await openLivePage(first, newsroom.coverage.slug);
  await socket;
  const another = await createLiveCoverage(people);
  const second = (await visit()).page;
  const traffic = recordTraffic(second);
  const secondReader = await openLivePage(second, another.coverage.slug);
  await another.publish();
  await secondReader.nextCheck();
  await expect.poll(secondReader.numbers).toEqual([1]);
  expect([await traffic.hasLibrary(), traffic.sockets()]).toEqual([false, 0]);

  const response = first.waitForResponse(CHANGES);
  await newsroom.publish();
  expect(await (await response).text()).toContain('data-follow="full"');
  await newsroom.publish();
  await expect.poll(reader.numbers).toEqual([2, 1]);
  expect((await socket).isClosed()).toBe(false);
});
