import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { composer as composerWords } from '../../src/lib/i18n/en/composer.ts';
import { desk as words } from '../../src/lib/i18n/en/desk.ts';
import { reader as readerWords } from '../../src/lib/i18n/en/reader.ts';
import { expectNoAxeFindings, PHONE } from '../support/browser.ts';
import { readStoredUpdates, test } from '../support/desk-page.ts';
import { watchLayoutShifts } from '../support/live-page.ts';
import { paragraph } from '../support/newsroom.ts';
import type { TestSite } from '../support/site.ts';

const VIDEO = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ';
const PLAY = readerWords.player.play('youtube-nocookie.com');

/** Answers for all other hosts, and records what is requested from them. */
async function watchOtherHosts(page: Page, site: TestSite): Promise<string[]> {
  const requested: string[] = [];
  await page.context().route(
    (url) => url.origin !== site.url,
    (route) => {
      requested.push(`${route.request().url()} ${route.request().headers().referer}`);
      return route.fulfill({ contentType: 'text/html', body: '<title>Player</title><p>Playing</p>' });
    },
  );
  return requested;
}

test('a video is written on a phone, plays after a press on a page, and its title is corrected', async ({
  site,
  newsroom,
  openDesk,
  visit,
}) => {
  await newsroom.publish();
  const live = `/live/${newsroom.coverage.slug}`;
  const { page: open } = await visit({ viewport: PHONE });
  const requestedByOpen = await watchOtherHosts(open, site);
  await open.goto(live);

  const { page, composer, box, row } = await openDesk('reporter', { viewport: PHONE });
  await page.getByRole('button', { name: composerWords.placeholder }).click();
  await box.fill('Look\n\n');
  await box.evaluate((area: HTMLTextAreaElement) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'https://youtu.be/dQw4w9WgXcQ?si=abc');
    area.setSelectionRange(area.value.length, area.value.length);
    area.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  });
  await page.keyboard.type('The bridge falls');
  expect(await box.inputValue()).toBe(`Look\n\n${VIDEO}\n: The bridge falls`);
  await composer.getByRole('button', { name: words.saving.publish }).click();
  await expect
    .poll(async () => (await readStoredUpdates(site, newsroom))[1]?.body[1])
    .toEqual({ type: 'media', url: VIDEO, title: 'The bridge falls' });

  // The policy of the open page allows no player, so it shows a link.
  const arrived = open.locator('#update-2');
  await arrived.getByRole('link', { name: 'The bridge falls' }).waitFor();
  await arrived.getByRole('link', { name: readerWords.player.open('YouTube') }).waitFor();
  expect(await arrived.getByRole('button', { name: PLAY }).count()).toBe(0);
  expect(requestedByOpen).toEqual([]);

  const { page: reader } = await visit({ viewport: PHONE });
  const requested = await watchOtherHosts(reader, site);
  const shifts = await watchLayoutShifts(reader);
  await reader.goto(live);
  const article = reader.locator('#update-2');
  const play = article.getByRole('button', { name: PLAY });
  await play.waitFor();
  await expectNoAxeFindings(reader);
  expect(requested).toEqual([]);
  const extent = () => article.evaluate((element) => element.getBoundingClientRect().height);
  const before = await extent();
  await play.focus();
  await reader.keyboard.press('Enter');
  const frame = article.locator('iframe');
  await frame.contentFrame().getByText('Playing').waitFor();
  expect(requested).toEqual([
    `https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?playsinline=1&rel=0&autoplay=1 ${site.url}/`,
  ]);
  expect(await frame.getAttribute('title')).toBe('The bridge falls');
  expect(await frame.getAttribute('sandbox')).not.toMatch(/popups|top-navigation|forms|modals/);
  expect(await frame.evaluate((element) => document.activeElement === element)).toBe(true);
  expect(await article.locator('iframe, .play').count()).toBe(1);
  expect(await extent()).toBe(before);
  expect(await shifts()).toEqual([]);
  await reader.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());

  await page.keyboard.press('Escape');
  await row('Look').locator('[data-action="edit"]').click();
  const panel = page.locator('.panel.full-screen');
  const text = panel.getByLabel(composerWords.body);
  expect(await text.inputValue()).toBe(`Look\n\n${VIDEO}\n: The bridge falls`);
  await text.fill((await text.inputValue()).replace('bridge', 'quay'));
  await panel.getByLabel(words.change.correction).check();
  await panel.getByLabel(words.change.note).fill('It is the quay.');
  await panel.getByRole('button', { name: words.saving.change }).click();
  await article.getByRole('link', { name: 'The quay falls' }).waitFor();
  await play.waitFor();

  await reader.goto(`${live}/2`);
  await reader.locator('del', { hasText: 'bridge' }).waitFor({ state: 'attached' });

  const [, stored] = await readStoredUpdates(site, newsroom);
  await newsroom.withdraw(stored, 'It was another bridge.');
  await reader.goto(live);
  await article.getByText('It was another bridge.').waitFor();
  expect(await article.locator('.media').count()).toBe(0);
});

test('without JavaScript a video is its title, text and a link, and nothing is requested', async ({
  site,
  newsroom,
  visit,
}) => {
  const video = {
    type: 'media' as const,
    url: VIDEO,
    title: 'The bridge falls',
    description: 'Filmed at noon.',
  };
  await newsroom.publish({ body: [paragraph('Look'), video] });
  const { page } = await visit({ viewport: PHONE, javaScriptEnabled: false });
  const requested = await watchOtherHosts(page, site);
  await page.goto(`/live/${newsroom.coverage.slug}`);
  const article = page.locator('#update-1');
  await article.getByText('Filmed at noon.').waitFor();
  expect(await article.getByRole('link', { name: 'The bridge falls' }).getAttribute('href')).toBe(VIDEO);
  expect(await article.getByRole('button').count()).toBe(0);
  expect(await article.locator('.media > .frame').isVisible()).toBe(false);
  expect(requested).toEqual([]);
});
