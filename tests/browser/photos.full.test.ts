import { join } from 'node:path';
import sharp from 'sharp';
import { expect } from 'vitest';
import { desk as deskWords } from '../../src/lib/i18n/en/desk.ts';
import { deskPhotos as words } from '../../src/lib/i18n/en/photos.ts';
import { test as base, expectNoAxeFindings } from '../support/browser.ts';
import { goToDesk, readStoredUpdates } from '../support/desk-page.ts';
import { signIn } from '../support/sign-in.ts';
import type { TestSite } from '../support/site.ts';
import { startUplinkProxy } from '../support/tcp-proxies.ts';

const test = base
  .extend('speed', { scope: 'file' }, 20_000)
  .extend('uplink', { scope: 'file' }, async ({ speed }, { onCleanup }) => {
    const uplink = await startUplinkProxy(speed);
    onCleanup(() => uplink.close());
    return uplink;
  })
  .extend('environment', ({ uplink }) => ({ SITE_URL: uplink.url }));

/** Time for encoding three photos and four interruptions on a busy machine. */
const LONGEST_MS = 120_000;

/** A phone's photo: large, noisy, rotated and with its location. */
async function makePicture(folder: string, name: string): Promise<string> {
  const path = join(folder, name);
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 8 };
  await sharp({ create: { width: 1800, height: 1200, channels: 3, background: '#888', noise } })
    .withExif({
      IFD0: { Make: 'Telephone' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '53/1 20/1 0/1' },
    })
    .withMetadata({ orientation: 6 })
    .jpeg({ quality: 80 })
    .toFile(path);
  return path;
}

const rows = async (site: TestSite, coverage: string) => {
  const { data } = await site.service
    .from('photos')
    .select('id, state, alt, credit, width, height')
    .eq('coverage_id', coverage)
    .order('alt');
  return data ?? [];
};

test(
  'uploads three photos once after their text, over a slow and interrupted connection',
  async ({ site, uplink, newsroom, visit }) => {
    uplink.setTarget(site.url);
    const { id: coverage, slug } = newsroom.coverage;
    const files = await Promise.all(['a.jpg', 'b.jpg', 'c.jpg'].map((name) => makePicture(site.data, name)));
    const [sample] = files;
    expect((await sharp(sample).metadata()).exif?.includes('Telephone'), 'the source has EXIF data').toBe(
      true,
    );

    const { page, expectError } = await visit({ baseURL: uplink.url });
    expectError(/ERR_|409|423|503|WebSocket/);
    await signIn(page, newsroom.people.reporter);
    const { composer, box } = await goToDesk(page, newsroom);
    await box.fill('The lower gate is under water');
    await composer.getByLabel(words.add).setInputFiles(files);
    const button = composer.getByRole('button', { name: deskWords.saving.publish });
    await composer.getByText(words.waiting.before(3)).waitFor();
    for (const index of [0, 1, 2]) await composer.getByLabel(words.alt).nth(index).fill(`Gate ${index}`);
    await expectNoAxeFindings(page);
    await button.click();
    await composer.getByText(deskWords.status.sent.published(1)).waitFor();
    expect(await (await fetch(`${site.url}/live/${slug}`)).text()).toContain('The lower gate is under water');
    // The texts of the photos are stored; the last upload has not begun.
    const uploading = await rows(site, coverage);
    expect(uploading.map(({ alt }) => alt)).toEqual(['Gate 0', 'Gate 1', 'Gate 2']);
    expect(uploading.at(-1)?.state).toBe('uploading');

    uplink.setUploadRate(60_000);
    uplink.cutEvery(30_000, 2);
    const tray = composer.getByText(words.tray.title);
    await tray.waitFor();
    await expect.poll(uplink.cuts).toBe(2);
    await goToDesk(page, newsroom);
    await tray.waitFor();
    uplink.cutEvery(30_000, 2);
    await tray.waitFor({ state: 'detached', timeout: 45_000 });
    expect(uplink.cuts()).toBe(4);

    const photos = await rows(site, coverage);
    expect(photos.map(({ state, alt }) => [state, alt])).toEqual(
      [0, 1, 2].map((n) => ['ready', `Gate ${n}`]),
    );
    const [update] = await readStoredUpdates(site, newsroom);
    expect(update.body.slice(1).map((block: { photo: string }) => block.photo)).toEqual(
      photos.map(({ id }) => id),
    );
    const { data: linked } = await site.service
      .from('update_photos')
      .select('photo_id')
      .eq('update_id', update.id);
    expect(linked).toHaveLength(3);
    const bucket = site.service.storage.from('photos');
    expect((await bucket.list('incoming')).data).toEqual([]);
    expect((await bucket.list('renditions')).data).toHaveLength(3);

    const reader = await visit();
    await reader.page.goto(`${site.url}/live/${slug}`);
    await expect.poll(() => reader.page.getByRole('img', { name: /^Gate/ }).count()).toBe(3);
    for (const { id, width, height } of photos) {
      // Rotated upright.
      expect([width, height]).toEqual([1067, 1600]);
      const rendition = await fetch(`${site.url}/photos/${id}/1600`);
      expect((await sharp(await rendition.arrayBuffer()).metadata()).exif).toBe(undefined);
    }
  },
  LONGEST_MS,
);
