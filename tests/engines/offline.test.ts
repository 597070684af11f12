import { expect } from 'vitest';
import { composer as composing, outbox } from '../../src/lib/i18n/en/composer.ts';
import { desk, deskOffline as offlineWords } from '../../src/lib/i18n/en/desk.ts';
import { feed } from '../../src/lib/i18n/en/live-feed.ts';
import { reader } from '../../src/lib/i18n/en/reader.ts';
import { readStoredUpdates, textOf } from '../support/desk-page.ts';
import type { EnginePage } from '../support/engines/page.ts';
import { test as base } from '../support/engines/test.ts';
import { signIn } from '../support/sign-in.ts';
import { startBreakableProxy } from '../support/tcp-proxies.ts';
import { waitUntilFollowed } from './following.ts';

/** A test whose browsers reach the site through a connection that can be cut. */
const test = base
  .extend('connection', { scope: 'file' }, async ({ mailServer: _ }, { onCleanup }) => {
    const connection = await startBreakableProxy('http://127.0.0.1:1');
    onCleanup(() => connection.close());
    return connection;
  })
  .extend('environment', ({ connection }) => ({ SITE_URL: connection.url }))
  .extend('online', ({ site, connection }, { onCleanup }) => {
    connection.setTarget(site.url);
    onCleanup(() => connection.restore());
    return connection;
  });

const isCached = (page: EnginePage, path: string) =>
  page.evaluate(async (of) => Boolean(await caches.match(of)), path);

/** Runs in the page: the text of all drafts and commands in the browser's database. */
async function wordsOnDevice(): Promise<string> {
  const opening = indexedDB.open('stoppress');
  await new Promise((resolve) => opening.addEventListener('success', resolve));
  const stores = ['drafts', 'commands'];
  const transaction = opening.result.transaction(stores);
  const readings = stores.map((store) => transaction.objectStore(store).getAll());
  await new Promise((resolve) => transaction.addEventListener('complete', resolve));
  opening.result.close();
  return JSON.stringify(readings.map(({ result }) => result));
}

/** Failed requests and sockets of the time without a connection. */
const OFFLINE_ERRORS =
  /establish a connection|interrupted while the page was loading|Importing a module|network connection was lost|Load failed|WebSocket/;

test('a reader goes offline and comes back: the page says so, and misses nothing', async ({
  newsroom,
  online,
  visit,
}) => {
  await newsroom.publish({ headline: 'Seen before' });
  const { page, expectError } = await visit({ baseURL: online.url });
  expectError(OFFLINE_ERRORS);
  const path = `/live/${newsroom.coverage.slug}`;
  await page.goto(path);
  await waitUntilFollowed(page);
  await expect.poll(() => isCached(page, path)).toBe(true);

  online.disconnect();
  await page.evaluate(() => window.dispatchEvent(new Event('offline')));
  await newsroom.publish({ headline: 'Missed' });
  await page.goto(path);
  await page.locator('#status').getByText(feed.offline).waitFor();
  expect(await page.locator('#update-1').innerText()).toContain('Seen before');
  // The page's script comes from the browser's cache, or the page says that it is not followed.
  await page
    .getByText(new RegExp(`${feed.pause}|${reader.status.notFollowed}`))
    .first()
    .waitFor();

  online.restore();
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
  await page.locator('#update-2').getByText('Missed').waitFor();
  await page.locator('#status').getByText(feed.offline).waitFor({ state: 'hidden' });
  expect(await page.locator('#updates > article').count()).toBe(2);
});

test('a reporter goes offline: words and presses stay on the device, survive a reload, and arrive once', async ({
  site,
  newsroom,
  online,
  visit,
}) => {
  const { page, expectError } = await visit({ baseURL: online.url, viewport: { width: 1440, height: 900 } });
  expectError(OFFLINE_ERRORS);
  const path = `/desk/${newsroom.coverage.slug}`;
  await signIn(page, newsroom.people.reporter);
  await page.goto(path);
  const composer = page.getByRole('region', { name: composing.title });
  const body = composer.getByLabel(composing.body);
  await expect.poll(() => isCached(page, '/offline/desk')).toBe(true);
  await body.fill('Before the cut');
  await body.press('Control+Enter');
  await composer.getByText(desk.status.sent.published(1)).waitFor();

  online.disconnect();
  await body.fill('While offline');
  await body.press('Control+Enter');
  await page.getByText(outbox.steps.on_device).first().waitFor();
  await expect.poll(() => body.inputValue()).toBe('');
  await body.fill('Half a thought');
  await expect.poll(() => page.evaluate(wordsOnDevice)).toContain('Half a thought');
  await page.goto(path);
  await page.getByText(offlineWords.noLine).waitFor();
  await expect.poll(() => body.inputValue()).toBe('Half a thought');
  expect((await readStoredUpdates(site, newsroom)).map(textOf)).toEqual(['Before the cut']);

  online.restore();
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
  const arrived = async () =>
    (await readStoredUpdates(site, newsroom)).map((update) => [textOf(update), update.number]);
  await expect.poll(arrived).toContainEqual(['While offline', 2]);
  expect(await body.inputValue()).toBe('Half a thought');
  await body.press('Control+Enter');
  await expect.poll(arrived).toEqual([
    ['Before the cut', 1],
    ['While offline', 2],
    ['Half a thought', 3],
  ]);
});
