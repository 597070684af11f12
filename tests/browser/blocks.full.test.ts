import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Block, plainRows } from '../../src/lib/domain/body/blocks.ts';
import { reader as words } from '../../src/lib/i18n/en/reader.ts';
import { expectNoAxeFindings, PHONE, test } from '../support/browser.ts';
import { correctBlocks, publishBlocks } from '../support/every-block.ts';
import { watchLayoutShifts } from '../support/live-page.ts';
import { startLatencyProxy } from '../support/network-latency.ts';
import { call } from '../support/newsroom.ts';
import { addPhoto } from '../support/photos.ts';

/* A page with every kind of block. Tests of single kinds are in files of their own. */

/** Records requests to other hosts. None of them leaves the machine. */
async function watchOtherHosts(page: Page, own: string): Promise<string[]> {
  const requested: string[] = [];
  const { host } = new URL(own);
  await page.context().route(
    (url) => /^(?:http|ws)s?:$/.test(url.protocol) && url.host !== host,
    (route) => {
      requested.push(route.request().url());
      return route.fulfill({ contentType: 'text/html', body: '<p>Playing</p>' });
    },
  );
  return requested;
}

/** Scrolls to the end of a page, so that everything that waits for that is loaded. */
const scrollThrough = (page: Page) =>
  page.evaluate(async () => {
    for (let y = 0; y < document.body.scrollHeight; y += 300) {
      scrollTo(0, y);
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    }
  });

const widthOf = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth);

test('nothing is requested from another host on any page before a press', async ({
  site,
  newsroom,
  visit,
}) => {
  await publishBlocks(site, newsroom);
  const live = `/live/${newsroom.coverage.slug}`;
  for (const viewport of [PHONE, { width: 1440, height: 900 }]) {
    const { page } = await visit({ viewport });
    const requested = await watchOtherHosts(page, site.url);
    for (const path of [
      '/',
      live,
      `${live}/1`,
      `${live}/embed`,
      `${live}?order=oldest`,
      '/search?q=cellar',
    ]) {
      await page.goto(path);
      await scrollThrough(page);
      expect(requested, path).toEqual([]);
    }
    await page.goto(live);
    await page.getByRole('button', { name: words.player.play('youtube-nocookie.com') }).click();
    await expect.poll(() => requested.length).toBeGreaterThan(0);
  }
});

test('on a slow line everything is there to read at once, and photos wait in their place', async ({
  site,
  newsroom,
  visit,
  onTestFinished,
}) => {
  await publishBlocks(site, newsroom);
  // 400 ms and 400 kbit/s.
  const line = await startLatencyProxy(site.url, { roundTrip: 400, up: 50_000, down: 50_000 });
  onTestFinished(() => line.close());
  const { page } = await visit({ viewport: PHONE, baseURL: line.url, showsResponseTimes: true });
  const shifts = await watchLayoutShifts(page);
  await page.goto(`/live/${newsroom.coverage.slug}`);
  await scrollThrough(page);
  const update = page.locator('#update-1');
  for (const text of [
    'The cellar is full.',
    'The bridge falls',
    'The harbourmaster speaks',
    'Gymnasium',
    'Riverside',
  ])
    expect(await update.innerText()).toContain(text);
  const requests = () => line.exchanges().map(({ request }) => request);
  expect(requests().filter((request) => /\/photos\/|\/media\//.test(request))).toEqual([]);
  await expectNoAxeFindings(page);
  // The offer to follow live is wider than the text that it replaces, beside this link.
  expect((await shifts()).filter((shift) => !shift.includes('href="/follow/live/'))).toEqual([]);
  const photo = update.locator('.photo');
  const place = await photo.locator('.frame').boundingBox();
  await photo.locator('.place > a').click();
  await expect
    .poll(() => photo.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBeGreaterThan(1);
  expect(await photo.locator('.frame').boundingBox()).toMatchObject({
    height: place?.height,
    width: place?.width,
  });
  expect(requests().filter((request) => request.includes('/photos/'))).toHaveLength(1);
});

test('blocks that arrive, change and disappear on an open page do not move the text that is read', async ({
  site,
  newsroom,
  visit,
}) => {
  for (let n = 0; n < 4; n++) await newsroom.publish();
  const { page } = await visit({ viewport: PHONE });
  const requested = await watchOtherHosts(page, site.url);
  await page.goto(`/live/${newsroom.coverage.slug}`);
  const { update, body } = await publishBlocks(site, newsroom);
  const article = page.locator('#updates #update-5');
  await article.getByText('Riverside').waitFor();
  await expectNoAxeFindings(page);
  expect(await widthOf(page)).toBe(PHONE.width);

  // The reader is below the blocks from now on.
  const position = async () => (await page.locator('#update-3').boundingBox())?.y;
  await page.locator('#update-3').evaluate((element) => element.scrollIntoView({ block: 'start' }));
  const before = await position();
  const other = await addPhoto(site, newsroom, 'The quayside by night');
  const corrected = await correctBlocks(newsroom, update, body, other.block);
  await article.getByText('Chapel').waitFor();
  for (const text of ['The attic is full.', 'The bridge stands', 'The harbourmaster explains', '40'])
    expect(await article.innerText()).toContain(text);
  await article.locator(`.frame > img[src*="${other.id}"]`).waitFor();
  expect(await position()).toBeCloseTo(before ?? Number.NaN, 0);
  await newsroom.withdraw(corrected, 'It was another town.');
  await article.getByText('It was another town.').waitFor();
  expect(await article.locator('blockquote, .media, .table, .photo, .link-block').count()).toBe(0);
  expect(await position()).toBeCloseTo(before ?? Number.NaN, 0);
  expect(requested).toEqual([]);
});

test('a page that is read from right to left shows every kind of block on a phone', async ({
  site,
  newsroom,
  visit,
}) => {
  await publishBlocks(site, newsroom);
  const { id: coverage_id, slug } = newsroom.coverage;
  await call(newsroom.people.editor.client, 'save_coverage', {
    coverage_id,
    version: 1,
    content: { language: 'ar' },
  });
  const { page } = await visit({ viewport: PHONE });
  for (const path of [`/live/${slug}/1`, `/live/${slug}/embed`, `/live/${slug}`]) {
    await page.goto(path);
    await page.locator('html[dir="rtl"]').waitFor({ state: 'attached' });
    await scrollThrough(page);
    expect(await widthOf(page), path).toBe(PHONE.width);
    await expectNoAxeFindings(page);
  }
  // The button of a video begins at the side where reading begins.
  const [frame, play] = await Promise.all(
    ['.media > .frame', '.media > .play > button'].map((part) =>
      page.locator(`#update-1 ${part}`).first().boundingBox(),
    ),
  );
  const gap = (frame?.x ?? 0) + (frame?.width ?? 0) - (play?.x ?? 0) - (play?.width ?? 0);
  expect(gap).toBeGreaterThanOrEqual(0);
  expect(gap).toBeLessThan(20);
});

test('paper has all of a wide and long table, the texts of players, and no buttons', async ({
  site,
  newsroom,
  visit,
}) => {
  await publishBlocks(site, newsroom);
  const wide: Block = {
    type: 'table',
    rows: plainRows(
      Array.from({ length: 31 }, (_, row) => Array.from({ length: 12 }, (_, n) => `Cell ${row}.${n}`)),
    ),
  };
  await newsroom.publish({ body: [wide] });
  const { page } = await visit({ viewport: PHONE });
  await page.goto(`/live/${newsroom.coverage.slug}`);
  // A4 at 96 pixels an inch, without margins.
  await page.setViewportSize({ width: 794, height: 1123 });
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('#update-2').getByText('Cell 30.11').isVisible()).toBe(true);
  for (const table of await page.locator('#updates .table > div').all())
    expect(await table.evaluate((element) => getComputedStyle(element).overflowX)).toBe('visible');
  expect(await widthOf(page)).toBe(794);
  const update = page.locator('#update-1');
  for (const text of [
    'The cellar is full.',
    'Filmed from Millbrook.',
    'The harbourmaster speaks',
    'Gymnasium',
    'Riverside',
  ])
    expect(await update.getByText(text).first().isVisible(), text).toBe(true);
  expect(await update.locator('.play').first().isVisible()).toBe(false);
});
