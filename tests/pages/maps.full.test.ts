import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, vi } from 'vitest';
import type { Place } from '../../src/lib/domain/body/blocks.ts';
import { pmtiles, vectorTile } from '../support/basemap.ts';
import { RELOAD } from '../support/http-client.ts';
import { call, paragraph } from '../support/newsroom.ts';
import { addPhoto } from '../support/photos.ts';
import { test as base } from '../support/test.ts';

const folder = await mkdtemp(join(tmpdir(), 'stoppress-basemap-'));
afterAll(() => rm(folder, { recursive: true }));
const path = join(folder, 'world.pmtiles');
const data = vectorTile([
  {
    layer: 'water',
    type: 'polygon',
    coordinates: [
      [0, 0],
      [4096, 0],
      [4096, 4096],
    ],
  },
]);
await writeFile(path, pmtiles({ tiles: [{ z: 0, x: 0, y: 0, data }] }));
const test = base.extend('environment', { scope: 'file' }, { STOPPRESS_BASEMAP: path });

const map: Place = { type: 'map', name: 'School hall', latitude: 10.5, longitude: -20, zoom: 3 };

/** Time for an invalidation to arrive on a busy machine. */
const INVALIDATION_MS = 5_000;

test('draws the maps of published updates, and no other place', async ({ site, newsroom }) => {
  const update = await newsroom.publish({ body: [paragraph('There'), map] });
  const live = `/live/${newsroom.coverage.slug}`;
  const get = (path: string) => fetch(`${site.url}${path}`);
  const picture = `${live}/${update.number}/map/10.5,-20,3.svg`;
  for (const page of [live, `${live}/${update.number}`, `${live}/embed`, `${live}/changes?after=0`]) {
    const html = await (await get(page)).text();
    expect(html, page).toContain(`src="${picture}"`);
    expect(html, page).toContain('https://www.openstreetmap.org/copyright');
  }

  const drawn = await get(picture);
  expect(drawn.status).toBe(200);
  expect(drawn.headers.get('content-type')).toBe('image/svg+xml');
  expect(drawn.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await drawn.text()).toMatch(/^<svg .*class="water".*<\/svg>$/s);

  const elsewhere = ['10.5,-20,4', '10.6,-20,3', '10.50,-20,3', '0,0,3'];
  for (const place of elsewhere) {
    expect((await get(`${live}/${update.number}/map/${place}.svg`)).status, place).toBe(404);
  }
  expect((await get(`${live}/9/map/10.5,-20,3.svg`)).status).toBe(404);

  await newsroom.withdraw(update, 'Wrong place.');
  await vi.waitFor(async () => expect((await get(picture)).status).toBe(404), INVALIDATION_MS);
});

test('shows the photo below a map instead', async ({ site, newsroom }) => {
  const { id, block } = await addPhoto(site, newsroom);
  const update = await newsroom.publish({ body: [map, block] });
  const html = await (await fetch(`${site.url}/live/${newsroom.coverage.slug}/${update.number}`)).text();
  expect(html).toContain('School hall');
  expect(html).toContain(`data-photo="${id}"`);
  expect(html).not.toContain('.svg');
});

test('redirects the picture of a moved coverage, also when its former name is part of the path', async ({
  site,
  newsroom,
}) => {
  const { id: coverage_id, slug } = newsroom.coverage;
  const { number } = await newsroom.publish({ body: [map] });
  for (const [index, name] of ['liv', slug].entries()) {
    const content = { slug: name };
    await call(newsroom.people.editor.client, 'save_coverage', { coverage_id, version: index + 1, content });
  }
  const place = `${number}/map/10.5,-20,3.svg`;
  const moved = () => fetch(`${site.url}/live/liv/${place}`, { redirect: 'manual', headers: RELOAD });
  await expect
    .poll(async () => (await moved()).headers.get('location'), { timeout: INVALIDATION_MS })
    .toBe(`/live/${slug}/${place}`);
});
