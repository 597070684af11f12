import { expect } from 'vitest';
import type { Block } from '../../src/lib/domain/body/blocks.ts';
import { test } from '../support/browser.ts';
import { watchLayoutShifts } from '../support/live-page.ts';
import { paragraph } from '../support/newsroom.ts';
import { announcePhoto, makePhoto, processPhoto, uploadPhoto } from '../support/photos.ts';

test('shows photos side by side on a wide screen and below each other on a phone, without moving anything', async ({
  site,
  newsroom,
  visit,
}) => {
  const photos: Block[] = [];
  for (const [width, height] of [
    [1500, 1000],
    [600, 1200],
    [900, 900],
  ] as const) {
    const id = await announcePhoto(newsroom);
    await uploadPhoto(newsroom, id, await makePhoto(width, height));
    await processPhoto(site, id);
    photos.push({ type: 'photo', photo: id });
  }
  await newsroom.publish({
    body: [paragraph('Three views of the gate.'), ...photos, paragraph('After them.')],
  });
  const live = `/live/${newsroom.coverage.slug}`;

  const { page } = await visit({ viewport: { width: 1440, height: 900 } });
  const shifts = await watchLayoutShifts(page);
  // The photos arrive after everything else.
  const release = Promise.withResolvers<void>();
  await page.route('**/photos/**', async (route) => {
    await release.promise;
    await route.continue();
  });
  const boxes = async () =>
    Promise.all((await page.locator('#updates .frame').all()).map((one) => one.boundingBox()));
  await page.goto(live);
  await page.locator('#updates .frame img').nth(2).waitFor({ state: 'attached' });
  const before = await boxes();
  expect(new Set(before.map((box) => Math.round(box?.y ?? 0))).size).toBe(1);
  const heights = before.map((box) => box?.height ?? 0);
  expect(Math.max(...heights) - Math.min(...heights)).toBeLessThan(1);
  const [landscape, portrait, square] = before.map((box) => (box?.width ?? 0) / (box?.height ?? 1));
  expect(landscape).toBeCloseTo(1.5, 1);
  expect(portrait).toBeCloseTo(0.5, 1);
  expect(square).toBeCloseTo(1, 1);
  release.resolve();
  await expect
    .poll(() =>
      page
        .locator('#updates .frame img')
        .evaluateAll((images) =>
          images.every((one) => one instanceof HTMLImageElement && one.naturalWidth > 1),
        ),
    )
    .toBe(true);
  expect(await boxes()).toEqual(before);
  expect(await shifts()).toEqual([]);

  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(live);
  const stacked = await boxes();
  expect(new Set(stacked.map((box) => Math.round(box?.x ?? 0))).size).toBe(1);
  expect(new Set(stacked.map((box) => Math.round(box?.y ?? 0))).size).toBe(3);
  for (const box of stacked) expect(box?.width).toBeLessThanOrEqual(328);
});
