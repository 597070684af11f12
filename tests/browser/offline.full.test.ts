import type { Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { offline as offlineMessages } from '../../src/lib/i18n/en/live-feed.ts';
import { test as base, expectNoAxeFindings } from '../support/browser.ts';
import { type StableProxy, startStableProxy } from '../support/http-proxies.ts';
import {
  followLive,
  type LivePage,
  openLivePage,
  setVisibility,
  withoutSockets,
} from '../support/live-page.ts';
import { call } from '../support/newsroom.ts';
import { signIn } from '../support/sign-in.ts';

const test = base
  .extend('ownSite', true)
  .extend('environment', withoutSockets)
  .extend('gate', async ({ site }, { onCleanup }): Promise<StableProxy> => {
    const gate = await startStableProxy(site.url);
    onCleanup(() => gate.close());
    return gate;
  })
  /** A page that reaches the site through the gate and may store copies. */
  .extend('offlinePage', async ({ gate, visit }) => {
    const visitor = await visit({ baseURL: gate.url, serviceWorkers: 'allow' });
    visitor.expectError(/ERR_EMPTY_RESPONSE|ERR_CONNECTION|ERR_SOCKET|Failed to load/);
    return visitor.page;
  });

/** Whether a stored page under this path contains the text. */
const isStored = (page: Page, path: string, words = '') =>
  page.evaluate(
    async ([key, text]) => (await (await caches.match(key ?? ''))?.text())?.includes(text ?? '') ?? false,
    [path, words],
  );

/** Follows a live page until it is stored. */
async function followUntilStored(page: Page, slug: string, words = ''): Promise<LivePage> {
  const reader = await openLivePage(page, slug);
  await page.clock.fastForward(10_500);
  await expect.poll(() => isStored(page, `/live/${slug}`, words)).toBe(true);
  return reader;
}

/** Loads a page until a condition is met. A page may be half a second older than the last change. */
const reloadUntil = (page: Page, path: string, isMet: () => Promise<boolean>) =>
  expect
    .poll(async () => {
      await page.goto(path);
      return isMet();
    })
    .toBe(true);

const savedCopyNote = (page: Page) =>
  page.getByText(new RegExp(String.raw`^${offlineMessages.savedCopy} \d\d:\d\d:\d\d, `));

test('shows stored pages marked as copies without connection, and updates them afterwards', async ({
  newsroom,
  gate,
  offlinePage: page,
}) => {
  const path = `/live/${newsroom.coverage.slug}`;
  await newsroom.publish({ headline: 'Seen before' });
  const { status } = await followUntilStored(page, newsroom.coverage.slug, 'Seen before');
  expect(await savedCopyNote(page).isVisible()).toBe(false);

  gate.disconnect();
  const copy = await page.goto(path);
  // Without script as well.
  expect(await copy?.text()).toContain('<strong class="offline">Offline</strong><span>saved copy</span>');
  await savedCopyNote(page).waitFor();
  expect(await page.locator('#update-1').innerText()).toContain('Seen before');
  await expect.poll(status).toMatch(/^Offline · saved copy · since \d\d:\d\d/);
  await expectNoAxeFindings(page);

  // A page that is not stored shows an error, and /offline only lists the stored pages.
  await page.goto(`${path}/1`);
  await page.getByRole('heading', { name: offlineMessages.page.title }).waitFor();
  await page.goto('/offline');
  await page.getByRole('heading', { level: 1, name: offlineMessages.page.saved }).waitFor();
  await expect.poll(() => page.title()).toContain(offlineMessages.page.saved);
  expect(await page.getByText(offlineMessages.page.say).isVisible()).toBe(false);
  const forget = page.getByRole('button', { name: offlineMessages.page.forget });
  await forget.waitFor();
  await page.getByRole('link', { name: /The river rises at Harrow Bridge/ }).click();
  await savedCopyNote(page).waitFor();
  await expect.poll(status).toMatch(/^Offline/);

  gate.open();
  await newsroom.publish({ headline: 'Missed' });
  await page.clock.fastForward('05:00');
  await expect.poll(status).toMatch(/^Live · Updated/);
  await savedCopyNote(page).waitFor({ state: 'hidden' });
  expect(await page.locator('#updates > article').count()).toBe(2);
  // Leaving the page stores its current state.
  await setVisibility(page, 'hidden');
  await expect.poll(() => isStored(page, path, 'Missed')).toBe(true);
  // The copies can be deleted, for example on a shared device.
  await page.goto('/offline');
  await forget.click();
  await page.getByText(offlineMessages.page.forgotten).waitFor();
  expect(await isStored(page, path)).toBe(false);
});

test('shows a stored page as current on a slow connection after the site confirmed it', async ({
  newsroom,
  gate,
  offlinePage: page,
}) => {
  const path = `/live/${newsroom.coverage.slug}`;
  await newsroom.publish({ headline: 'As it was' });
  const { status } = await followUntilStored(page, newsroom.coverage.slug, 'As it was');
  gate.holdPages();
  const check = page.context().waitForEvent('response', (response) => response.url().includes('/changes?'));
  await page.goto(path);
  expect((await check).ok()).toBe(true);
  expect(await savedCopyNote(page).isVisible()).toBe(false);
  expect(await page.locator('#update-1').innerText()).toContain('As it was');
  await expect.poll(status).toMatch(/^Live · Updated/);
});

test('deletes withdrawn content from all stored pages', async ({ newsroom, gate, offlinePage: page }) => {
  const { slug } = newsroom.coverage;
  const wrong = await newsroom.publish({ headline: 'A mistake', key_event: true });
  await followUntilStored(page, slug, 'A mistake');
  for (const path of ['/', `/live/${slug}/1`]) {
    await page.goto(path);
    await expect.poll(() => isStored(page, path, 'A mistake')).toBe(true);
  }
  const reader = await openLivePage(page, slug);
  await newsroom.withdraw(wrong, 'It was about another river.');
  await reader.nextCheck();
  await expect.poll(() => isStored(page, '/')).toBe(false);
  await expect.poll(() => isStored(page, `/live/${slug}`, 'another river')).toBe(true);
  expect(await isStored(page, `/live/${slug}/1`)).toBe(false);

  // Loading a page also deletes it, on a device that has not followed.
  const second = await newsroom.publish({ headline: 'Another mistake' });
  const oldestFirst = `/live/${slug}?order=oldest`;
  for (const path of [`/live/${slug}`, oldestFirst]) {
    await reloadUntil(page, path, () => isStored(page, path, 'Another mistake'));
  }
  await newsroom.withdraw(second, 'Neither.');
  await page.goto(`/live/${slug}`);
  await expect.poll(() => isStored(page, oldestFirst)).toBe(false);
  await expect.poll(() => isStored(page, `/live/${slug}`, 'Neither.')).toBe(true);

  await newsroom.setState('withdrawn');
  await page.goto(`/live/${slug}`).catch(() => undefined);
  await page.getByText('This coverage was withdrawn').first().waitFor();
  await expect.poll(() => isStored(page, `/live/${slug}`)).toBe(false);
  gate.disconnect();
  await page.goto(`/live/${slug}`);
  await page.getByRole('heading', { name: offlineMessages.page.title }).waitFor();
});

test('stores a followed page without another request, and deletes a moved one', async ({
  newsroom,
  gate,
  offlinePage: page,
}) => {
  const { id: coverage_id, slug } = newsroom.coverage;
  const path = `/live/${slug}`;
  await page.addInitScript(() =>
    Object.defineProperty(navigator, 'connection', { value: { saveData: true } }),
  );
  await openLivePage(page, slug, () => followLive(page).click());
  await page.clock.fastForward(10_500);
  await expect.poll(() => isStored(page, path)).toBe(true);
  expect(gate.asked.filter((requested) => requested === path)).toHaveLength(1);
  const content = { slug: `${slug}-moved` };
  await call(newsroom.people.editor.client, 'save_coverage', { coverage_id, version: 1, content });
  await reloadUntil(page, path, async () => !(await isStored(page, path)));
});

test('stores no account pages, and shows an error for them without connection', async ({
  people,
  newsroom,
  gate,
  offlinePage: page,
}) => {
  await followUntilStored(page, newsroom.coverage.slug);
  await signIn(page, people.editor);
  await page.goto('/account');
  gate.disconnect();
  await page.goto('/account');
  await page.getByRole('heading', { name: offlineMessages.page.title }).waitFor();
  const storedPaths = await page.evaluate(async () => {
    const all = await Promise.all(
      (await caches.keys()).map(async (name) => (await caches.open(name)).keys()),
    );
    return all.flat().map(({ url }) => new URL(url).pathname);
  });
  expect(storedPaths.filter((path) => /^\/(desk|account|sign-in|api|auth)/.test(path))).toEqual([]);
});

test('deletes stored pages after the setting is switched off', async ({
  people,
  newsroom,
  offlinePage: page,
}) => {
  const { slug } = newsroom.coverage;
  const workers = () => page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);
  await followUntilStored(page, slug);
  const setOfflinePages = (on: boolean) =>
    call(people.owner.client, 'save_site', { content: { offline_pages: on } });
  await setOfflinePages(false);
  const keepsCopies = async () => (await page.locator('[data-copies="off"]').count()) === 0;
  await reloadUntil(page, `/live/${slug}`, async () => !(await keepsCopies()));
  await openLivePage(page, slug);
  await expect.poll(workers).toBe(0);
  expect(await page.evaluate(() => caches.keys())).toEqual([]);
  await page.clock.fastForward(10_500);
  expect(await workers()).toBe(0);
  await setOfflinePages(true);
  await reloadUntil(page, `/live/${slug}`, keepsCopies);
  await followUntilStored(page, slug);
});

test('shows that a page is behind after waking, until it has checked', async ({ newsroom, visit }) => {
  const { page } = await visit();
  const reader = await openLivePage(page, newsroom.coverage.slug);
  const gate = Promise.withResolvers<void>();
  await page.route(/\/changes\?/, async (route) => {
    await gate.promise;
    await route.continue();
  });
  const asking = page.waitForRequest(/\/changes\?/);
  // The clock has advanced without any timer.
  await page.clock.setSystemTime((await page.evaluate(() => Date.now())) + 8 * 3600_000);
  await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
  await asking;
  expect(await reader.status()).toMatch(/^Out of date · since .*\d\d:\d\d/);
  gate.resolve();
  await expect.poll(reader.status).toMatch(/^Live · Updated/);
});

test('has a manifest without errors', async ({ offlinePage: page, newsroom }) => {
  await page.goto(`/live/${newsroom.coverage.slug}`);
  const session = await page.context().newCDPSession(page);
  const { errors, data } = await session.send('Page.getAppManifest');
  expect(errors).toEqual([]);
  expect(JSON.parse(data ?? '')).toMatchObject({ start_url: '/', display: 'standalone' });
});

test.skipIf(!inject('chromium').installing)(
  'can be installed from a live page',
  async ({ offlinePage: page, newsroom }) => {
    await page.goto(`/live/${newsroom.coverage.slug}`);
    const session = await page.context().newCDPSession(page);
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
    // Test windows are private, which is the only remaining obstacle.
    expect(installabilityErrors.map(({ errorId }) => errorId)).toEqual(['in-incognito']);
  },
);
