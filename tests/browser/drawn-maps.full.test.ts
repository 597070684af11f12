import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import type { Place } from '../../src/lib/domain/body/blocks.ts';
import { reader as readerWords } from '../../src/lib/i18n/en/reader.ts';
import { pmtiles, vectorTile } from '../support/basemap.ts';
import { test as base, expectNoAxeFindings } from '../support/browser.ts';
import { watchLayoutShifts } from '../support/live-page.ts';
import { paragraph } from '../support/newsroom.ts';

const folder = await mkdtemp(join(tmpdir(), 'stoppress-basemap-'));
afterAll(() => rm(folder, { recursive: true }));
const path = join(folder, 'world.pmtiles');
const data = vectorTile([
  {
    layer: 'water',
    type: 'polygon',
    coordinates: [
      [0, 0],
      [2048, 0],
      [2048, 4096],
    ],
  },
  {
    layer: 'places',
    type: 'point',
    coordinates: [[2300, 1900]],
    properties: { kind: 'locality', name: 'Ostley' },
  },
]);
await writeFile(path, pmtiles({ tiles: [{ z: 0, x: 0, y: 0, data }] }));
const test = base.extend('environment', { scope: 'file' }, { STOPPRESS_BASEMAP: path });

const hall: Place = { type: 'map', name: 'School hall', latitude: 10.5, longitude: -20, zoom: 3 };
const body = [paragraph('Beds tonight'), hall];

test('a drawn map is loaded without moving the page, and arrives on an open page', async ({
  site,
  newsroom,
  visit,
}) => {
  await newsroom.publish({ body });
  const { page } = await visit();
  const hosts = new Set<string>();
  page.on('request', (request) => hosts.add(new URL(request.url()).host));
  const layoutShifts = await watchLayoutShifts(page);
  await page.goto(`/live/${newsroom.coverage.slug}`);
  const picture = (number: number) =>
    page.locator(`#update-${number}`).getByRole('img', { name: readerWords.mapOf(hall.name) });
  const isLoaded = (number: number) =>
    picture(number).evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth > 0);
  await picture(1).scrollIntoViewIfNeeded();
  await expect.poll(() => isLoaded(1)).toBe(true);
  expect(await layoutShifts()).toEqual([]);
  // Further down, new updates wait until the reader asks for them.
  await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
  await newsroom.publish({ body });
  await picture(2).scrollIntoViewIfNeeded();
  await expect.poll(() => isLoaded(2)).toBe(true);
  await expectNoAxeFindings(page);
  expect([...hosts]).toEqual([new URL(site.url).host]);
});

test('a drawn map is shown without scripts', async ({ newsroom, visit }) => {
  const { number } = await newsroom.publish({ body });
  const { page } = await visit({ javaScriptEnabled: false });
  const response = page.waitForResponse(/\.svg$/);
  await page.goto(`/live/${newsroom.coverage.slug}/${number}`);
  expect((await response).status()).toBe(200);
  await page.getByRole('img', { name: readerWords.mapOf(hall.name) }).waitFor();
});
