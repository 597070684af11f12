import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BrowserContextOptions } from 'playwright-core';
import sirv from 'sirv';
import { expect } from 'vitest';
import { offline } from '../../src/lib/i18n/en/live-feed.ts';
import { reader as readerMessages } from '../../src/lib/i18n/en/reader.ts';
import { test as base, expectNoAxeFindings } from '../support/browser.ts';
import { runCommand } from '../support/export-folder.ts';
import { createLiveCoverage, paragraph } from '../support/newsroom.ts';
import { addPhoto } from '../support/photos.ts';

/** The folder of a live coverage with a photo, and a static server that serves it two folders deep. */
const test = base
  .extend('environment', { SITE_URL: 'https://news.example' })
  .extend('folder', { scope: 'file' }, async ({ site, people }, { onCleanup }) => {
    const newsroom = await createLiveCoverage(people);
    const place = await mkdtemp(join(tmpdir(), 'stoppress-folders-'));
    for (let n = 1; n <= 20; n++) await newsroom.publish();
    const { block } = await addPhoto(site, newsroom);
    const content = {
      headline: 'Seen from the quay',
      key_event: true,
      body: [paragraph('High water.'), block],
    };
    await newsroom.publish(content);
    const to = 'served/on some host/river';
    const exported = await runCommand('export', place, [newsroom.coverage.slug, '--to', to], {
      STOPPRESS_DATA: site.data,
      SITE_URL: 'https://news.example',
    });
    expect(exported.errors).toBe('');
    const server = createServer(sirv(join(place, 'served')));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onCleanup(async () => {
      server.closeAllConnections();
      server.close();
      await rm(place, { recursive: true, force: true });
    });
    const { port } = server.address() as AddressInfo;
    return {
      onDisk: `${pathToFileURL(join(place, to)).href}/`,
      onHost: `http://127.0.0.1:${port}/on%20some%20host/river/`,
    };
  });

const PHONE: BrowserContextOptions = { viewport: { width: 360, height: 740 } };

test.for([
  ['from a disk', 'onDisk', true],
  ['from a disk, without scripts', 'onDisk', false],
  ['from a sub-folder of a host', 'onHost', true],
] as const)(
  'shows pages, styles and photos %s, and requests nothing else',
  async ([, location, javaScriptEnabled], { folder, visit }) => {
    const { page } = await visit({ ...PHONE, javaScriptEnabled });
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(`${folder[location]}index.html`);

    expect(await page.locator('#saved').innerText()).toContain(offline.savedCopy);
    expect(await page.locator('#status').innerText()).toBe('Live');
    expect(await page.locator('.kicker').evaluate((kicker) => getComputedStyle(kicker).fontVariantCaps)).toBe(
      'all-small-caps',
    );
    const photo = page.getByRole('img').first();
    await photo.scrollIntoViewIfNeeded();
    await expect.poll(() => photo.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0);

    await page.getByRole('link', { name: /^Update 21,/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Seen from the quay' }).waitFor();
    await page.getByRole('link', { name: readerMessages.previousUpdate }).click();
    await page.getByRole('link', { name: readerMessages.inPlace }).click();
    await expect.poll(() => page.url()).toMatch(/\/index\.html#update-20$/);
    await page.getByRole('link', { name: 'Older', exact: true }).click();
    await expect.poll(() => page.locator('article').count()).toBe(10);
    await page.getByRole('link', { name: readerMessages.keyEventsOnly }).click();
    await expect.poll(() => page.url()).toMatch(/\/key-events\.html$/);
    if (javaScriptEnabled && location === 'onHost') await expectNoAxeFindings(page);
    expect(requests.filter((url) => !url.startsWith(folder[location]) && !url.startsWith('data:'))).toEqual(
      [],
    );
  },
);
