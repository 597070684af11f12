import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { PHONE, test } from '../support/browser.ts';
import { watchLayoutShifts } from '../support/live-page.ts';
import { call } from '../support/newsroom.ts';
import { ALT, addPhoto } from '../support/photos.ts';

/**
 * Opens the page of a list that shows a coverage, and scrolls to it: other tests' coverages stand before it in the
 * archive, and images far below the screen are not loaded.
 */
async function openAtCoverage(page: Page, path: string, slug: string) {
  const item = page.getByRole('listitem').filter({ has: page.locator(`a[href="/live/${slug}"]`) });
  await page.goto(path, { waitUntil: 'networkidle' });
  while ((await item.count()) === 0) {
    const next = await page.locator('a[rel="next"]').getAttribute('href');
    await page.goto(next as string, { waitUntil: 'networkidle' });
  }
  await item.scrollIntoViewIfNeeded();
  return item;
}

test('lists of coverages keep the place of a photo where data is saved, and show it elsewhere without moving', async ({
  site,
  people,
  newsroom,
  visit,
}) => {
  const { block } = await addPhoto(site, newsroom);
  await newsroom.publish({ headline: 'Over the wall', body: [block], key_event: true });
  // The newest key event has no photo.
  await newsroom.publish({ headline: 'The wall holds', key_event: true });
  const topic = `topic-${newsroom.coverage.slug}`;
  await call(people.editor.client, 'save_topic', { slug: topic, name: 'Floods' });
  const coverage_id = newsroom.coverage.id;
  await call(people.editor.client, 'save_coverage', {
    coverage_id,
    version: 1,
    content: { topics: [topic] },
  });
  const [year, month] = new Date().toISOString().split('-');

  for (const path of [`/topics/${topic}`, `/archive/${year}/${month}`]) {
    const saving = await visit({ viewport: PHONE });
    const requested: string[] = [];
    saving.page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    await saving.page.addInitScript(() =>
      Object.defineProperty(navigator, 'connection', { value: { saveData: true } }),
    );
    const saved = await openAtCoverage(saving.page, path, newsroom.coverage.slug);
    const placeholder = saved.locator('.thumbnail > svg');
    const place = await placeholder.boundingBox();
    expect(place).toMatchObject({ width: 96, height: 64 });
    expect(requested.filter((one) => one.startsWith('/photos/'))).toEqual([]);

    const { page } = await visit({ viewport: PHONE });
    const shifts = await watchLayoutShifts(page);
    const item = await openAtCoverage(page, path, newsroom.coverage.slug);
    const image = item.getByRole('img', { name: ALT });
    await expect.poll(() => image.evaluate((one) => (one as HTMLImageElement).naturalWidth)).toBe(480);
    expect(await image.boundingBox()).toEqual(place);
    expect(await shifts()).toEqual([]);

    const plain = await visit({ viewport: PHONE, javaScriptEnabled: false });
    const shown = await openAtCoverage(plain.page, path, newsroom.coverage.slug);
    await shown.getByRole('img', { name: ALT }).waitFor();
  }
});
