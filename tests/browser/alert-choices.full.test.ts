import { expect } from 'vitest';
import { ALERTS } from '../../src/islands/offline/names.ts';
import { follow as words } from '../../src/lib/i18n/en/follow.ts';
import { reader } from '../../src/lib/i18n/en/reader.ts';
import { expectNoAxeFindings } from '../support/browser.ts';
import { watchLayoutShifts } from '../support/live-page.ts';
import { deviceTest, fakePushService, press } from './follow-context.ts';

deviceTest(
  'lists the alerts of the device on a page for everyone, and stops all of them',
  async ({ newsroom, visit }) => {
    const { page, expectError } = await visit({ serviceWorkers: 'allow', permissions: ['notifications'] });
    await fakePushService(page);
    const messages = words.choices.device;
    const shifts = await watchLayoutShifts(page);
    const says = (sentence: string) => page.locator('#device-says', { hasText: sentence }).waitFor();
    await page.goto('/');
    await page.getByRole('link', { name: reader.alerts, exact: true }).click();
    await says(messages.none);
    await page.locator(`a[href="/follow/live/${newsroom.coverage.slug}"]`).click();
    await press(page, words.thisDevice.follow);
    await says(words.thisDevice.now.all);

    // The newsroom cannot be reached: the page says so and claims nothing.
    expectError(/Failed to load|ERR_FAILED/);
    await page.route('**/api/device-follows', (route) => route.abort(), { times: 1 });
    await page.goto('/follow');
    await says(messages.failed);

    await page.reload();
    const summary = page.getByText(`${messages.title} (1)`);
    await summary.waitFor();
    expect(await page.locator('#device-says').isVisible()).toBe(false);
    expect(await shifts()).toEqual([]);
    await summary.click();
    const entry = page.locator('#device-list li a');
    expect(await entry.getAttribute('href')).toMatch(/^\/follow\/live\//);
    await expectNoAxeFindings(page);

    await page.route('**/api/device-follows', (route) => route.abort(), { times: 1 });
    await press(page, words.thisDevice.stopAll);
    await says(messages.failed);
    await entry.waitFor();
    await press(page, words.thisDevice.stopAll);
    await says(messages.stopped);
    expect(await entry.isVisible()).toBe(false);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('device-says');
    await page.reload();
    await says(messages.none);

    // A device that belongs to an account does not claim to have no alerts.
    await page.evaluate(async (name) => {
      const notes = await caches.open(name);
      await notes.put('/alerts/device', new Response('{"person":"a","endpoint":"b","key":"c"}'));
    }, ALERTS);
    await page.reload();
    await says(messages.account);
  },
);
