import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { feed as feedMessages } from '../../src/lib/i18n/en/live-feed.ts';
import { test as base } from '../support/browser.ts';
import { goToDesk } from '../support/desk-page.ts';
import { followLive, openLivePage, withoutSockets } from '../support/live-page.ts';
import { freePort } from '../support/processes.ts';
import { signIn } from '../support/sign-in.ts';
import { startSite, writeNextBuild } from '../support/site.ts';

const folder = await mkdtemp(join(tmpdir(), 'deploy-'));
afterAll(() => rm(folder, { recursive: true }));

const test = base.extend('environment', {
  ...withoutSockets,
  PORT: String(await freePort()),
  STOPPRESS_BUILDS: join(folder, 'builds'),
});

test('keeps styles and scripts of a page that was answered with 304', async ({ newsroom, visit }) => {
  await newsroom.publish();
  const { page } = await visit();
  const path = `/live/${newsroom.coverage.slug}`;
  for (const visit of ['first', 'again']) {
    await page.goto(path);
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    const size = await page.evaluate(() => getComputedStyle(document.body).fontSize);
    expect(size, visit).toBe('17px');
    await page.goto('/about');
  }
});

test('keeps open pages working through a deploy, and offers them the newer edition', async ({
  environment,
  site,
  newsroom,
  visit,
}) => {
  const path = `/live/${newsroom.coverage.slug}`;
  const { page: waiting } = await visit();
  await waiting.addInitScript(() =>
    Object.defineProperty(navigator, 'connection', { value: { saveData: true } }),
  );
  await waiting.goto(path);
  const { page: open, expectError } = await visit();
  expectError(/ERR_CONNECTION|50\d/);
  const reader = await openLivePage(open, newsroom.coverage.slug);
  const island = (page: typeof open) => page.locator('astro-island').first().getAttribute('component-url');
  const before = await island(open);

  const { page: desk, expectError: expectAtDesk } = await visit({ serviceWorkers: 'allow' });
  expectAtDesk(/ERR_|50\d|WebSocket/);
  await signIn(desk, newsroom.people.reporter);
  const { box } = await goToDesk(desk, newsroom);
  /** Number of builds that this device can open the desk with. */
  const storedBuilds = () =>
    desk.evaluate(async () => {
      const shells = (await caches.keys()).map(async (name) =>
        (await caches.open(name)).match('/offline/desk'),
      );
      return (await Promise.all(shells)).filter(Boolean).length;
    });
  await expect.poll(storedBuilds).toBe(1);

  const root = join(folder, 'next');
  await writeNextBuild(root);
  await site.stopProcess();
  // The desk opens without the site, and its text survives the deploy.
  await goToDesk(desk, newsroom);
  await box.fill('Written while there was no site');
  // A newsroom keeps its publishable key through a deploy.
  const nextEnvironment = { ...environment, PUBLIC_SUPABASE_PUBLISHABLE_KEY: site.publishableKey };
  const next = await startSite({ root, data: site.data, environment: nextEnvironment });
  try {
    expect((await fetch(`${next.url}${before}`)).headers.get('content-type')).toBe('text/javascript');
    await followLive(waiting).click();
    const newer = (page: typeof open) => page.getByRole('link', { name: feedMessages.reload.newer });
    await newer(waiting).waitFor();
    await newer(waiting).click();
    await followLive(waiting).click();
    await waiting.getByRole('button', { name: 'Pause' }).waitFor();
    expect(await newer(waiting).count()).toBe(0);
    expect(await island(waiting)).not.toBe(before);

    await desk.evaluate(async () => (await navigator.serviceWorker.getRegistration('/desk'))?.update());
    await expect.poll(storedBuilds).toBe(2);
    expect(await box.inputValue()).toBe('Written while there was no site');
    await goToDesk(desk, newsroom);
    await expect.poll(() => box.inputValue()).toBe('Written while there was no site');

    // The wait before the next attempt grows with the length of the outage.
    await expect
      .poll(async () => {
        await open.clock.fastForward(60_000);
        return reader.status();
      })
      .toMatch(/^Live/);
    await newer(open).waitFor();
  } finally {
    await next.stop();
  }
});
