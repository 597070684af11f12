import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { feed as feedMessages } from '../../src/lib/i18n/en/live-feed.ts';
import { reader as readerMessages } from '../../src/lib/i18n/en/reader.ts';
import { test as base, expectNoAxeFindings } from '../support/browser.ts';
import {
  countScripts,
  followLive,
  openLivePage,
  setVisibility,
  withoutSockets,
} from '../support/live-page.ts';
import { startLatencyProxy, UNLIMITED } from '../support/network-latency.ts';
import { paragraph } from '../support/newsroom.ts';

const test = base.extend('environment', withoutSockets);

const CHANGES = /\/changes\?after=/;

/** Counts the page's checks from now on. */
function countChecks(page: Page): () => number {
  let checks = 0;
  page.on('request', (request) => {
    if (CHANGES.test(request.url())) checks++;
  });
  return () => checks;
}

test('shows its freshness in the time zone of the coverage', async ({ newsroom, visit }) => {
  await newsroom.publish();
  // The reader's time zone differs from that of the coverage.
  const { page } = await visit({ timezoneId: 'Asia/Tokyo' });
  const reader = await openLivePage(page, newsroom.coverage.slug);
  const inDublin = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'Europe/Dublin' });
  const now = inDublin.format(await page.evaluate(() => Date.now()));
  expect(await reader.status()).toMatch(new RegExp(`^Live · Updated ${now} [A-Z]+$`));
});

/** Waits until the browser was idle twice, so that automatic scripts have started. */
const waitUntilIdle = (page: Page) =>
  page.evaluate(
    () => new Promise<void>((done) => requestIdleCallback(() => requestIdleCallback(() => done()))),
  );

test('loads no script on a slow connection until the reader follows', async ({
  site,
  newsroom,
  visit,
  onTestFinished,
}) => {
  await newsroom.publish();
  const proxy = await startLatencyProxy(site.url, { roundTrip: 400, up: UNLIMITED, down: UNLIMITED });
  onTestFinished(() => proxy.close());
  const path = `/live/${newsroom.coverage.slug}`;
  const { page } = await visit({ baseURL: proxy.url, showsResponseTimes: true });
  await page.goto('/tips');
  await waitUntilIdle(page);
  await page.goto(path);
  await followLive(page).waitFor();
  await waitUntilIdle(page);
  await expectNoAxeFindings(page);
  const requests = () => proxy.exchanges().map(({ request }) => request);
  expect(requests()).toEqual(expect.arrayContaining(['GET /tips', `GET ${path}`]));
  expect(requests().filter((request) => request.includes('/_astro/'))).toEqual([]);

  // The offer shifts nothing at any width.
  const { page: plain } = await visit({ javaScriptEnabled: false });
  await plain.goto(path);
  for (let width = 360; width <= 1440; width += 120) {
    const [withOffer, withoutOffer] = await Promise.all(
      [page, plain].map(async (view) => {
        await view.setViewportSize({ width, height: 740 });
        return (await view.locator('#updates').boundingBox())?.y;
      }),
    );
    expect(withOffer, `${width} px`).toBe(withoutOffer);
  }

  await followLive(page).press('Enter');
  await page.getByRole('button', { name: 'Loading…' }).waitFor();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(feedMessages.pause);
  expect(requests().filter((request) => request.includes('/_astro/'))).toHaveLength(2);
});

test('links to a reload when its script is missing', async ({ newsroom, visit }) => {
  const { page, expectError } = await visit();
  expectError(/404|astro-island/);
  await page.route('**/_astro/LiveFeed*', (route) => route.fulfill({ status: 404, body: 'gone' }));
  const path = `/live/${newsroom.coverage.slug}`;
  await page.goto(path);
  const again = page.getByRole('link', { name: readerMessages.status.notFollowed });
  expect(await again.getAttribute('href')).toBe(path);
});

test('changes the status line without shifting the content below', async ({ newsroom, visit }) => {
  await newsroom.publish();
  const { page: plain } = await visit({ javaScriptEnabled: false });
  await plain.goto(`/live/${newsroom.coverage.slug}`);
  const { page, expectError } = await visit();
  expectError(/503/);
  const reader = await openLivePage(page, newsroom.coverage.slug);
  /** Top of the list at many window widths. */
  const tops = async (view: Page) => {
    const positions: (number | undefined)[] = [];
    for (let width = 360; width <= 720; width += 20) {
      await view.setViewportSize({ width, height: 740 });
      positions.push((await view.locator('#updates').boundingBox())?.y);
    }
    return positions;
  };
  const rendered = await tops(plain);
  expect(await tops(page)).toEqual(rendered);
  await page.route(CHANGES, (route) => route.fulfill({ status: 503, body: 'no' }));
  await reader.nextCheck();
  await expect.poll(reader.status).toMatch(/^Out of date/);
  expect(await tops(page)).toEqual(rendered);
});

test('does not check in a hidden tab, and catches up when the tab is shown', async ({ newsroom, visit }) => {
  const { page } = await visit();
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await setVisibility(page, 'hidden');
  const checks = countChecks(page);
  for (let n = 1; n <= 60; n++) await newsroom.publish({ body: [paragraph(`Number ${n}.`)] });
  await page.clock.fastForward('10:00');
  expect(checks()).toBe(0);
  await setVisibility(page, 'visible');
  await expect.poll(reader.numbers).toEqual(Array.from({ length: 60 }, (_, n) => 60 - n));
  expect(checks()).toBe(2);
});

test('shows since when the connection is lost, and catches up afterwards', async ({ newsroom, visit }) => {
  const { page, expectError } = await visit();
  expectError(/ERR_INTERNET_DISCONNECTED/);
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await page.context().setOffline(true);
  await expect.poll(reader.status).toMatch(/^Offline · since \d\d:\d\d/);
  expect(await page.locator('#coverage').getByRole('status').textContent()).toMatch(/^Offline, since/);
  const checks = countChecks(page);
  await newsroom.publish({ headline: 'Missed' });
  await page.clock.fastForward('10:00');
  expect(checks()).toBe(0);
  await page.context().setOffline(false);
  await expect.poll(reader.numbers).toEqual([1]);
  expect(await reader.status()).toMatch(/^Live · Updated/);
});

test('checks less and less often while the site fails, and shows that the page is behind', async ({
  newsroom,
  visit,
}) => {
  const { page, expectError } = await visit();
  expectError(/503/);
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await page.route(CHANGES, (route) => route.fulfill({ status: 503, body: 'no' }));
  await reader.nextCheck();
  await expect.poll(reader.status).toMatch(/^Out of date · since \d\d:\d\d( \w+)? · trying again/);

  // Twice the interval, minus a random part of at most half.
  const checks = countChecks(page);
  await page.clock.fastForward(9_500);
  expect(checks()).toBe(0);
  for (let failures = 2; failures <= 8; failures++) {
    const answered = page.waitForResponse(CHANGES);
    await page.clock.fastForward(1000 * Math.min(300, 10 * 2 ** failures));
    await answered;
    // After another round trip the page has processed the response and waits for its next check.
    await page.evaluate(() => fetch('/robots.txt').then((response) => response.text()));
  }
  expect(checks()).toBe(7);

  await page.unroute(CHANGES);
  await newsroom.publish();
  const answered = page.waitForResponse(CHANGES);
  await page.clock.fastForward('05:00');
  await answered;
  await expect.poll(reader.numbers).toEqual([1]);
  await expect.poll(reader.status).toMatch(/^Live/);
});

test('does not accept the page of a captive portal as a response', async ({ newsroom, visit }) => {
  const { page } = await visit();
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await page.route(CHANGES, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<p>Room number?</p>' }),
  );
  await reader.nextCheck();
  await expect.poll(reader.status).toMatch(/^Out of date/);
});

test('pauses and resumes on request', async ({ newsroom, visit }) => {
  const { page } = await visit();
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await page.getByRole('button', { name: 'Pause' }).click();
  expect(await reader.status()).toMatch(/^Paused by you · Updated/);
  const checks = countChecks(page);
  await newsroom.publish();
  await page.clock.fastForward('10:00');
  expect(checks()).toBe(0);
  expect(await reader.numbers()).toEqual([]);
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect.poll(reader.numbers).toEqual([1]);
});

test('applies a response that arrives during a pause after the pause', async ({ newsroom, visit }) => {
  const { page } = await visit();
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await newsroom.publish();
  const gate = Promise.withResolvers<void>();
  await page.route(CHANGES, async (route) => {
    await gate.promise;
    await route.continue();
  });
  const asking = page.waitForRequest(CHANGES);
  await page.clock.fastForward(11_000);
  await asking;
  await page.getByRole('button', { name: 'Pause' }).click();
  const answered = page.waitForResponse(CHANGES);
  gate.resolve();
  await (await answered).finished();
  expect(await reader.numbers()).toEqual([]);
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect.poll(reader.numbers).toEqual([1]);
});

test('shows that a coverage ended, and stops checking', async ({ newsroom, visit }) => {
  const { page } = await visit();
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await newsroom.setState('paused');
  await reader.nextCheck();
  await expect.poll(reader.status).toMatch(/^Paused · more to come · Updated/);
  await newsroom.publish({ headline: 'The last' });
  await newsroom.setState('ended');
  await reader.nextCheck();
  await expect.poll(reader.status).toMatch(/^Ended/);
  expect(await reader.numbers()).toEqual([1]);
  const checks = countChecks(page);
  await page.clock.fastForward('10:00');
  expect(checks()).toBe(0);
  expect(await page.getByRole('button').count()).toBe(0);
});

test('removes a withdrawn coverage from the open page', async ({ newsroom, visit }) => {
  const { page, expectError } = await visit();
  expectError(/410/);
  await newsroom.publish({ headline: 'Must go' });
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await newsroom.setState('withdrawn');
  await reader.nextCheck();
  await expect.poll(() => page.locator('main').innerText()).toMatch(/^This coverage was withdrawn/);
  expect(await page.locator('body').innerText()).not.toContain('Must go');
  expect(await page.title()).not.toContain('river');
});

test('offers to reload a page that is too far behind or of an older build', async ({
  site,
  newsroom,
  visit,
}) => {
  const { page } = await visit();
  const reader = await openLivePage(page, newsroom.coverage.slug);
  await page.route(CHANGES, async (route) => {
    const answer = await route.fetch();
    const body = (await answer.text()).replace(/data-build="[^"]*"/, 'data-build="another"');
    await route.fulfill({ response: answer, body });
  });
  await reader.nextCheck();
  await page.getByRole('link', { name: feedMessages.reload.newer }).waitFor();
  expect(await reader.status()).toMatch(/^Live/);

  const items = Array.from({ length: 101 }, () => ({
    id: randomUUID(),
    published_at: new Date().toISOString(),
    content: { body: [paragraph('One of many.')] },
  }));
  await site.service.rpc('import_updates', { coverage_id: newsroom.coverage.id, items });
  await reader.nextCheck();
  await expect.poll(reader.status).toMatch(/^Out of date · since/);
  await page.getByRole('link', { name: feedMessages.reload.lost }).click();
  await expect.poll(async () => (await reader.numbers())[0]).toBe(101);
});

test('shows on a waiting page that the coverage has begun', async ({ people, visit }) => {
  const editor = people.editor.client;
  const coverage_id = randomUUID();
  const slug = `soon-${coverage_id.slice(0, 8)}`;
  const content = { slug, headline: 'Soon', starts_at: '2030-01-01T00:00:00Z' };
  const runCommand = (name: string, args: object) =>
    editor.rpc(name, { idempotency_key: randomUUID(), coverage_id, ...args });
  await runCommand('create_coverage', { content });
  await runCommand('set_coverage_state', { state: 'scheduled' });
  const { page } = await visit();
  await page.addInitScript(() =>
    Object.defineProperty(navigator, 'connection', { value: { saveData: true } }),
  );
  const scripts = countScripts(page);
  const reader = await openLivePage(page, slug, async () => {
    await followLive(page).waitFor();
    expect(scripts()).toBe(0);
    await followLive(page).click();
  });
  expect(await reader.status()).toMatch(/^Scheduled · starts .+ · Updated/);
  await runCommand('set_coverage_state', { state: 'live' });
  // With data saving, a page checks every 30 s.
  await page.clock.fastForward(30_500);
  await page.getByRole('link', { name: feedMessages.reload.begun }).click();
  await followLive(page).click();
  await expect.poll(reader.status).toMatch(/^Live/);
});
