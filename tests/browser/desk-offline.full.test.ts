import type { BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { SYNC_TAG } from '../../src/lib/domain/paths.ts';
import { accounts } from '../../src/lib/i18n/en/accounts.ts';
import { outbox } from '../../src/lib/i18n/en/composer.ts';
import { deskOffline as words } from '../../src/lib/i18n/en/desk.ts';
import { deskPhotos as photoWords } from '../../src/lib/i18n/en/photos.ts';
import { test as base, expectNoAxeFindings } from '../support/browser.ts';
import { goToDesk, readStoredUpdates, textOf } from '../support/desk-page.ts';
import { type StableProxy, startStableProxy } from '../support/http-proxies.ts';
import { PIXEL } from '../support/photos.ts';
import { signIn } from '../support/sign-in.ts';

const test = base.extend('gate', async ({ site }, { onCleanup }): Promise<StableProxy> => {
  const gate = await startStableProxy(site.url);
  onCleanup(() => gate.close());
  return gate;
});

/** Milliseconds for three starts of a worker and a photo on a busy machine. */
const LONGEST_MS = 120_000;

/** Addresses and contents of everything in the browser's caches. */
const cached = (page: Page) =>
  page.evaluate(async () => {
    const all: string[] = [];
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) {
        all.push(request.url, (await (await cache.match(request))?.text()) ?? '');
      }
    }
    return all;
  });

/** Number of commands that are stored on this device. */
const queuedCommandCount = async () => {
  const opening = indexedDB.open('stoppress');
  await new Promise((done) => opening.addEventListener('success', done));
  const counting = opening.result.transaction('commands').objectStore('commands').count();
  await new Promise((done) => counting.addEventListener('success', done));
  opening.result.close();
  return counting.result;
};

/** Triggers background sync of the desk's worker, as the browser does when a connection is available. */
async function sync(context: BrowserContext, origin: string): Promise<void> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const registered = Promise.withResolvers<string>();
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    const ours = registrations.find(({ scopeURL, isDeleted }) => scopeURL.endsWith('/desk') && !isDeleted);
    if (ours) registered.resolve(ours.registrationId);
  });
  await session.send('ServiceWorker.enable');
  const registrationId = await registered.promise;
  await session.send('ServiceWorker.dispatchSyncEvent', {
    origin,
    registrationId,
    tag: SYNC_TAG,
    lastChance: false,
  });
}

test(
  'opens without network, stores text and commands, and sends them with every page closed, without caching any of it',
  async ({ site, newsroom, gate, visit }) => {
    const { slug } = newsroom.coverage;
    const headline = 'The river rises at Harrow Bridge';
    const { reporter } = newsroom.people;
    const { page, expectError } = await visit({
      baseURL: gate.url,
      serviceWorkers: 'allow',
    });
    expectError(/ERR_|WebSocket|Failed to load|Background Sync|503/);
    const context = page.context();
    await signIn(page, reporter);
    await goToDesk(page, newsroom);
    const isReady = () => page.evaluate(async () => Boolean(await caches.match('/offline/desk')));
    await expect.poll(isReady).toBe(true);

    gate.disconnect();
    const { composer, box } = await goToDesk(page, newsroom);
    await page.getByText(words.noLine).waitFor();
    await page.getByRole('heading', { level: 1, name: headline }).waitFor();
    await box.fill('Written in the dark');
    await box.press('Control+Enter');
    await page.getByText(outbox.steps.on_device).first().waitFor();
    await expect.poll(() => box.inputValue()).toBe('');
    await box.fill('Half a thought');
    await expectNoAxeFindings(page);

    // Another desk page lists what is available offline, and leads back to the text.
    await page.goto('/desk/people');
    await page.getByRole('heading', { name: words.title }).waitFor();
    await expectNoAxeFindings(page);
    await page.getByRole('link', { name: headline }).click();
    await expect.poll(() => box.inputValue()).toBe('Half a thought');
    await composer.waitFor();

    // After choosing a photo, every page of the site is closed before the connection returns.
    const picture = { name: 'gate.png', mimeType: 'image/png', buffer: PIXEL };
    await composer.getByLabel(photoWords.add).setInputFiles(picture);
    await composer.getByText(photoWords.steps.waiting).waitFor();
    // The draft is queued as well, a second after the last key.
    await expect.poll(() => page.evaluate(queuedCommandCount)).toBe(2);
    await page.goto('about:blank');
    expect(await readStoredUpdates(site, newsroom)).toEqual([]);
    gate.open();
    await sync(context, gate.url);
    const storedUpdates = async () =>
      (await readStoredUpdates(site, newsroom)).map((update) => [textOf(update), update.number]);
    await expect.poll(storedUpdates).toEqual([
      ['Written in the dark', 1],
      ['Half a thought', null],
    ]);

    // Any desk page continues the upload of photos.
    const photos = async () => {
      const { data } = await site.service
        .from('photos')
        .select('state')
        .eq('coverage_id', newsroom.coverage.id);
      return data?.map(({ state }) => state);
    };
    expect(await photos()).not.toContain('ready');
    await page.goto('/desk');
    await expect.poll(photos).toEqual(['ready']);

    await page.goto(`/desk/${slug}`);
    await expect.poll(() => box.inputValue()).toBe('Half a thought');
    const contents = await cached(page);
    expect(
      contents.some((text) => text.includes('astro-island')),
      'a cached page has an island',
    ).toBe(true);
    const secrets = ['Written in the dark', 'Half a thought', headline, reporter.email, reporter.id, 'eyJ'];
    expect(secrets.filter((secret) => contents.some((text) => text.includes(secret)))).toEqual([]);
    expect(contents.filter((text) => /^http.*\/(?:api|account|sign-in|desk\/)/.test(text))).toEqual([]);

    // Signing out asks about unsent text. A signed-out person sees nothing of the desk.
    await page.route('**/rpc/save_update', (route) => route.abort());
    await box.fill('Half a thought, and half of another');
    await page.getByRole('button', { name: accounts.signOut }).click();
    await page.getByRole('button', { name: outbox.signOut.keep }).click();
    await page.waitForURL((url) => !url.pathname.startsWith('/desk'));
    gate.disconnect();
    await page.goto(`/desk/${slug}`);
    await page.getByRole('heading', { name: words.title }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.locator('main').innerText()).not.toContain('Harrow');
    expect(await box.count()).toBe(0);
  },
  LONGEST_MS,
);
