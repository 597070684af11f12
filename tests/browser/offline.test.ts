import type { Page } from 'playwright-core';
import { expect, inject } from 'vitest';
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
  /** Somebody whose browser reaches the site by the gate, and may keep what it shows. */
  .extend('keeper', async ({ gate, visit }) => {
    const visitor = await visit({ baseURL: gate.url, serviceWorkers: 'allow' });
    visitor.expectError(/ERR_EMPTY_RESPONSE|ERR_CONNECTION|ERR_SOCKET|Failed to load/);
    return visitor.page;
  });

/** Is a page with these words kept under this path? */
const isKept = (page: Page, path: string, words = '') =>
  page.evaluate(
    async ([key, text]) => (await (await caches.match(key ?? ''))?.text())?.includes(text ?? '') ?? false,
    [path, words],
  );

/** Follows a live page for as long as it takes to be kept. */
async function followed(page: Page, slug: string, words = ''): Promise<LivePage> {
  const reader = await openLivePage(page, slug);
  await page.clock.fastForward(10_500);
  await expect.poll(() => isKept(page, `/live/${slug}`, words)).toBe(true);
  return reader;
}

const mark = (page: Page) => page.getByText(/^Saved copy: what this page said at \d\d:\d\d:\d\d [A-Z]+, /);

test('on a dead line there is what was seen, marked, until the site answers again', async ({
  newsroom,
  gate,
  keeper: page,
}) => {
  const path = `/live/${newsroom.coverage.slug}`;
  await newsroom.publish({ headline: 'Seen before' });
  const { status } = await followed(page, newsroom.coverage.slug, 'Seen before');
  expect(await mark(page).isVisible()).toBe(false);

  gate.disconnect();
  const copy = await page.goto(path);
  // Also where no script of it comes.
  expect(await copy?.text()).toContain('<strong class="offline">Offline</strong><span>saved copy</span>');
  await mark(page).waitFor();
  expect(await page.locator('#update-1').innerText()).toContain('Seen before');
  await expect.poll(status).toMatch(/^Offline · saved copy · since \d\d:\d\d/);
  await expectNoAxeFindings(page);

  // What was never seen is not there, and the reader learns what is.
  await page.goto(`${path}/1`);
  await page.getByRole('heading', { name: 'The site cannot be reached' }).waitFor();
  await page.goto('/offline');
  const forget = page.getByRole('button', { name: 'Forget these copies' });
  await forget.waitFor();
  await page.getByRole('link', { name: /The river rises at Harrow Bridge/ }).click();
  await mark(page).waitFor();
  await expect.poll(status).toMatch(/^Offline/);

  gate.open();
  await newsroom.publish({ headline: 'Missed' });
  await page.clock.fastForward('05:00');
  await expect.poll(status).toMatch(/^Live · checked/);
  await mark(page).waitFor({ state: 'hidden' });
  expect(await page.locator('#updates > article').count()).toBe(2);
  // Whoever leaves a page that has moved on finds it so.
  await setVisibility(page, 'hidden');
  await expect.poll(() => isKept(page, path, 'Missed')).toBe(true);
  // On a device that others use too.
  await page.goto('/offline');
  await forget.click();
  await page.getByText('Nothing is saved on this device any more.').waitFor();
  expect(await isKept(page, path)).toBe(false);
});

test('on a slow line a copy is shown as current when the site says that nothing has changed', async ({
  newsroom,
  gate,
  keeper: page,
}) => {
  const path = `/live/${newsroom.coverage.slug}`;
  await newsroom.publish({ headline: 'As it was' });
  const { status } = await followed(page, newsroom.coverage.slug, 'As it was');
  gate.holdPages();
  const asked = page.context().waitForEvent('response', (response) => response.url().includes('/changes?'));
  await page.goto(path);
  expect((await asked).ok()).toBe(true);
  expect(await mark(page).isVisible()).toBe(false);
  expect(await page.locator('#update-1').innerText()).toContain('As it was');
  await expect.poll(status).toMatch(/^Live · checked/);
});

test('what was taken back is not on the device any more, wherever it stood', async ({
  newsroom,
  gate,
  keeper: page,
}) => {
  const { slug } = newsroom.coverage;
  const wrong = await newsroom.publish({ headline: 'A mistake', key_event: true });
  await followed(page, slug, 'A mistake');
  for (const path of ['/', `/live/${slug}/1`]) {
    await page.goto(path);
    await expect.poll(() => isKept(page, path, 'A mistake')).toBe(true);
  }
  const reader = await openLivePage(page, slug);
  await newsroom.withdraw(wrong, 'It was about another river.');
  await reader.nextCheck();
  await expect.poll(() => isKept(page, '/')).toBe(false);
  await expect.poll(() => isKept(page, `/live/${slug}`, 'another river')).toBe(true);
  expect(await isKept(page, `/live/${slug}/1`)).toBe(false);

  // A page that is opened anew says it too, to a device that followed nothing meanwhile.
  const second = await newsroom.publish({ headline: 'Another mistake' });
  const oldestFirst = `/live/${slug}?order=oldest`;
  for (const path of [`/live/${slug}`, oldestFirst]) {
    await page.goto(path);
    await expect.poll(() => isKept(page, path, 'Another mistake')).toBe(true);
  }
  await newsroom.withdraw(second, 'Neither.');
  await page.goto(`/live/${slug}`);
  await expect.poll(() => isKept(page, oldestFirst)).toBe(false);
  await expect.poll(() => isKept(page, `/live/${slug}`, 'Neither.')).toBe(true);

  await newsroom.setState('withdrawn');
  await page.goto(`/live/${slug}`).catch(() => undefined);
  await page.getByText('This coverage was withdrawn').first().waitFor();
  gate.disconnect();
  await page.goto(`/live/${slug}`);
  await page.getByRole('heading', { name: 'The site cannot be reached' }).waitFor();
});

test('who follows on a poor line has the page kept without asking for it again; one that moved away is not kept', async ({
  newsroom,
  gate,
  keeper: page,
}) => {
  const { id: coverage_id, slug } = newsroom.coverage;
  const path = `/live/${slug}`;
  await page.addInitScript(() =>
    Object.defineProperty(navigator, 'connection', { value: { saveData: true } }),
  );
  await openLivePage(page, slug, () => followLive(page).click());
  await page.clock.fastForward(10_500);
  await expect.poll(() => isKept(page, path)).toBe(true);
  expect(gate.asked.filter((asked) => asked === path)).toHaveLength(1);
  const content = { slug: `${slug}-moved` };
  await call(newsroom.people.editor.client, 'save_coverage', { coverage_id, version: 1, content });
  await page.goto(path);
  await expect.poll(() => isKept(page, path)).toBe(false);
});

test('of accounts nothing is kept, and on a dead line a page says so', async ({
  people,
  newsroom,
  gate,
  keeper: page,
}) => {
  await followed(page, newsroom.coverage.slug);
  await signIn(page, people.editor);
  await page.goto('/account');
  gate.disconnect();
  await page.goto('/account');
  await page.getByRole('heading', { name: 'The site cannot be reached' }).waitFor();
  const kept = await page.evaluate(async () => {
    const all = await Promise.all(
      (await caches.keys()).map(async (name) => (await caches.open(name)).keys()),
    );
    return all.flat().map(({ url }) => new URL(url).pathname);
  });
  expect(kept.filter((path) => /^\/(desk|account|sign-in|api|auth)/.test(path))).toEqual([]);
});

test('switched off, everything goes at the next visit, and nothing is kept any more', async ({
  people,
  newsroom,
  keeper: page,
}) => {
  const { slug } = newsroom.coverage;
  const workers = () => page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);
  await followed(page, slug);
  const keeps = (on: boolean) => call(people.owner.client, 'save_site', { content: { offline_pages: on } });
  await keeps(false);
  await openLivePage(page, slug);
  await expect.poll(workers).toBe(0);
  expect(await page.evaluate(() => caches.keys())).toEqual([]);
  await page.clock.fastForward(10_500);
  expect(await workers()).toBe(0);
  await keeps(true);
  await followed(page, slug);
});

test('a page that wakes says that it is behind until it has asked', async ({ newsroom, visit }) => {
  const { page } = await visit();
  const reader = await openLivePage(page, newsroom.coverage.slug);
  const held = Promise.withResolvers<void>();
  await page.route(/\/changes\?/, async (route) => {
    await held.promise;
    await route.continue();
  });
  const asking = page.waitForRequest(/\/changes\?/);
  // The clock has gone on and no timer has run.
  await page.clock.setSystemTime((await page.evaluate(() => Date.now())) + 8 * 3600_000);
  await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
  await asking;
  expect(await reader.status()).toMatch(/^Behind · since .*\d\d:\d\d/);
  held.resolve();
  await expect.poll(reader.status).toMatch(/^Live · checked/);
});

test('has a manifest without errors', async ({ keeper: page, newsroom }) => {
  await page.goto(`/live/${newsroom.coverage.slug}`);
  const session = await page.context().newCDPSession(page);
  const { errors, data } = await session.send('Page.getAppManifest');
  expect(errors).toEqual([]);
  expect(JSON.parse(data ?? '')).toMatchObject({ start_url: '/', display: 'standalone' });
});

test.skipIf(!inject('chromium').installing)(
  'can be installed from a live page',
  async ({ keeper: page, newsroom }) => {
    await page.goto(`/live/${newsroom.coverage.slug}`);
    const session = await page.context().newCDPSession(page);
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
    // Test windows are private: that is the only reason left.
    expect(installabilityErrors.map(({ errorId }) => errorId)).toEqual(['in-incognito']);
  },
);
