import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Block } from '../../src/lib/domain/body/blocks.ts';
import { mediaFileOf } from '../../src/lib/domain/media-files.ts';
import { composer as words } from '../../src/lib/i18n/en/composer.ts';
import { desk as deskWords } from '../../src/lib/i18n/en/desk.ts';
import { reader as readerWords } from '../../src/lib/i18n/en/reader.ts';
import { expectNoAxeFindings, PHONE } from '../support/browser.ts';
import { readStoredUpdates, test } from '../support/desk-page.ts';
import { watchLayoutShifts } from '../support/live-page.ts';
import { addMedia, HEADS, makeMedia } from '../support/media.ts';
import { paragraph } from '../support/newsroom.ts';

const { media } = words;

/** Records a short WebM video in the browser. */
async function recordVideo(page: Page): Promise<Buffer> {
  const base64 = await page.evaluate(async () => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [320, 180];
    const context = canvas.getContext('2d');
    const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: 'video/webm' });
    const parts: Blob[] = [];
    let frames = 0;
    const draw = () => {
      if (context) {
        context.fillStyle = `hsl(${frames * 8} 80% 50%)`;
        context.fillRect(0, 0, 320, 180);
      }
      if (++frames < 30) requestAnimationFrame(draw);
      else recorder.stop();
    };
    await new Promise<void>((resolve) => {
      recorder.ondataavailable = ({ data }) => void parts.push(data);
      recorder.onstop = () => resolve();
      recorder.start();
      draw();
    });
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  });
  return Buffer.from(base64, 'base64');
}

test('a video is uploaded on a phone, published with its picture, and plays after a press', async ({
  site,
  newsroom,
  openDesk,
  visit,
}) => {
  const { page: reader } = await visit({ viewport: PHONE });
  await reader.goto('/about');
  const buffer = await recordVideo(reader);

  const { page, composer, box } = await openDesk('reporter', { viewport: PHONE });
  await page.getByRole('button', { name: words.placeholder }).click();
  await box.fill('Look');
  await composer.getByText(media.title, { exact: true }).click();
  await composer
    .getByLabel(media.file, { exact: true })
    .setInputFiles({ name: 'The bridge.webm', mimeType: 'video/webm', buffer });
  await composer.getByText(media.ready).waitFor();
  await expectNoAxeFindings(page);
  const add = composer.getByRole('button', { name: media.add });
  await add.click();
  await composer.getByText(media.descriptionMissing).waitFor();
  expect(await box.inputValue()).toBe('Look');
  expect(await composer.getByLabel(media.name, { exact: true }).inputValue()).toBe('The bridge');
  await composer.getByLabel(media.description).fill('It falls.\nAt noon.');
  await add.click();
  await composer.getByText(media.added('The bridge')).waitFor();
  const [, marker, path = ''] =
    /\n\n(.*)\n\n(.*)\n: The bridge\n: It falls.\n: At noon.$/.exec(await box.inputValue()) ?? [];
  expect(marker).toBe(words.photoLine(1));
  expect(mediaFileOf(path)).toMatchObject({ format: 'webm', bytes: buffer.length });
  await composer.getByRole('button', { name: deskWords.saving.publish }).click();
  await expect
    .poll(async () => (await readStoredUpdates(site, newsroom))[0]?.body.slice(-1))
    .toEqual([{ type: 'media', url: path, title: 'The bridge', description: 'It falls.\nAt noon.' }]);
  // The picture follows as soon as it is converted.
  await expect
    .poll(async () => (await readStoredUpdates(site, newsroom))[0]?.body.map(({ type }: Block) => type), {
      timeout: 20_000,
    })
    .toEqual(['paragraph', 'photo', 'media']);

  const requested: string[] = [];
  reader.on('request', (request) => {
    if (request.url().includes('/media/')) requested.push(request.headers().range ?? 'all');
  });
  const shifts = await watchLayoutShifts(reader);
  await reader.goto(`/live/${newsroom.coverage.slug}`);
  const article = reader.locator('#update-1');
  const file = mediaFileOf(path);
  if (!file) throw new Error('The path is that of a file.');
  const play = article.getByRole('link', { name: readerWords.player.playFile(file) });
  await play.waitFor();
  await expectNoAxeFindings(reader);
  expect(requested).toEqual([]);
  expect(await article.locator('video').count()).toBe(0);
  await play.focus();
  await reader.keyboard.press('Enter');
  const video = article.locator('video');
  await expect
    .poll(() => video.evaluate((element: HTMLVideoElement) => element.readyState))
    .toBeGreaterThan(0);
  expect(requested[0]).toMatch(/^bytes=0-/);
  expect(await video.getAttribute('aria-label')).toBe('The bridge');
  expect(await video.evaluate((element: HTMLVideoElement) => [element.controls, element.preload])).toEqual([
    true,
    'none',
  ]);
  expect(await article.locator('.play').count()).toBe(0);
  expect(await shifts()).toEqual([]);
});

test('an upload survives a lost connection and a reload, and continues where it was', async ({
  site,
  newsroom,
  openDesk,
}) => {
  const chosen = join(site.data, 'talk.mp3');
  await writeFile(chosen, makeMedia('mp3', 7_000_000));
  const { page, composer, box, expectError } = await openDesk('reporter');
  expectError(/ERR_FAILED|Failed to load|net::/);
  const begun: string[] = [];
  const parts: number[] = [];
  let broken = true;
  await page.route('**/storage/v1/upload/resumable**', async (route) => {
    const request = route.request();
    if (request.method() === 'POST') begun.push(request.url());
    if (request.method() !== 'PATCH') return route.continue();
    const offset = Number(request.headers()['upload-offset']);
    // The second part does not get through at first.
    if (broken && offset > 0) return route.abort();
    parts.push(offset);
    return route.continue();
  });
  const choose = async () => {
    await composer.getByText(media.title, { exact: true }).click();
    await composer.getByLabel(media.file, { exact: true }).setInputFiles(chosen);
  };
  await choose();
  await composer.getByText(media.waiting(89)).waitFor();
  await box.fill('Words go out meanwhile');
  await composer.getByRole('button', { name: deskWords.saving.publish }).click();
  await composer.getByText(deskWords.status.sent.published(1)).waitFor();
  await page.reload();
  broken = false;
  await choose();
  await composer.getByText(media.ready).waitFor();
  expect(begun).toHaveLength(1);
  expect(parts).toEqual([0, 6 * 1024 * 1024]);

  await composer.getByLabel(media.description).fill('Two people talk.');
  await composer.getByRole('button', { name: media.add }).click();
  await composer.getByRole('button', { name: deskWords.saving.publish }).click();
  await expect
    .poll(async () => (await readStoredUpdates(site, newsroom))[1]?.body)
    .toMatchObject([{ type: 'media', title: 'talk', description: 'Two people talk.' }]);
});

test('a file of something else is refused with a reason, and the text stays', async ({ openDesk }) => {
  const { composer, box, expectError } = await openDesk('reporter');
  expectError(/415/);
  await box.fill('Look');
  await composer.getByText(media.title, { exact: true }).click();
  const input = composer.getByLabel(media.file, { exact: true });
  await input.setInputFiles({ name: 'x.mp4', mimeType: 'video/mp4', buffer: Buffer.from('<script>') });
  await composer.getByText(media.unsupported).waitFor();
  await input.setInputFiles({ name: 'x.mov', mimeType: 'video/quicktime', buffer: HEADS.mp4 });
  await composer.getByText(media.unsupported).waitFor();
  expect(await box.inputValue()).toBe('Look');
});

test('without JavaScript a recording is its title, text and a link that opens it', async ({
  site,
  newsroom,
  visit,
}) => {
  const { path, block } = await addMedia(site, newsroom, { format: 'mp3', seconds: 61 });
  await newsroom.publish({ body: [paragraph('Listen'), block] });
  const { page } = await visit({ viewport: PHONE, javaScriptEnabled: false });
  await page.goto(`/live/${newsroom.coverage.slug}`);
  const article = page.locator('#update-1');
  await article.getByText('At noon.').waitFor();
  expect(await article.getByRole('link', { name: 'The bridge' }).getAttribute('href')).toBe(path);
  expect(await article.locator('audio').count()).toBe(0);
});

test('a file that arrives on a page that was sent without players plays there, once', async ({
  site,
  newsroom,
  visit,
}) => {
  const files = await Promise.all(
    (['mp4', 'mp3'] as const).map((format) => addMedia(site, newsroom, { format })),
  );
  await newsroom.publish();
  const { page, expectError } = await visit({ viewport: PHONE });
  // The files of tests cannot be played.
  expectError(/media|Failed to load/i);
  await page.goto(`/live/${newsroom.coverage.slug}`);
  await newsroom.publish({ body: files.map(({ block }) => block) });
  const article = page.locator('#update-2');
  const links = article.locator('a[data-file]');
  const [video, audio] = [article.locator('.frame > video'), article.locator('.media > audio')];
  await links.nth(1).waitFor();
  await links.nth(0).click();
  await video.waitFor();
  await links.click();
  await audio.waitFor();
  expect(await article.locator('video, audio').count()).toBe(2);
  expect(new URL(page.url()).pathname).toBe(`/live/${newsroom.coverage.slug}`);
  // A page that was sent with players gets more of them.
  await page.goto('/about');
  await page.goto(`/live/${newsroom.coverage.slug}`);
  await newsroom.publish({ body: files.map(({ block }) => block) });
  await page.locator('#update-3 a[data-file="audio"]').click();
  await page.locator('#update-3 audio').waitFor();
  expect(await page.locator('#update-3 audio').count()).toBe(1);
});

test('a file plays in the frame of another site, and nothing is loaded before', async ({
  site,
  newsroom,
  visit,
}) => {
  const { block } = await addMedia(site, newsroom);
  await newsroom.publish({ body: [paragraph('Look'), block] });
  const { page, expectError } = await visit({ viewport: PHONE });
  expectError(/media|Failed to load/i);
  const requested: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/media/')) requested.push(request.url());
  });
  await page.goto(`/live/${newsroom.coverage.slug}/embed`);
  const play = page.locator('#update-1 a[data-file]');
  await play.waitFor();
  expect(requested).toEqual([]);
  await play.click();
  await page.locator('#update-1 video').waitFor();
  await expect.poll(() => requested.length).toBeGreaterThan(0);
  expect(page.context().pages()).toHaveLength(1);
});
