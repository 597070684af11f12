import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { expect } from 'vitest';
import { desk } from '../../src/lib/i18n/en/desk.ts';
import { ownTips } from '../../src/lib/i18n/en/own-tips.ts';
import { reader } from '../../src/lib/i18n/en/reader.ts';
import { tipQueue as queue } from '../../src/lib/i18n/en/tip-queue.ts';
import { tips as words } from '../../src/lib/i18n/en/tips.ts';
import { test as base, expectNoAxeFindings } from '../support/browser.ts';
import { WIDE_SCREEN } from '../support/chromium.ts';
import { signIn } from '../support/sign-in.ts';
import { startUplinkProxy } from '../support/tcp-proxies.ts';

/** Uploaded bytes until each interruption, and the number of interruptions. */
const CUT = { bytes: 60_000, times: 3 };
/** Time for three interruptions and many pages. */
const LONGEST_MS = 150_000;
const REFETCH_MS = 10_000;

const test = base
  /** Upload rate in bytes per second. */
  .extend('speed', { scope: 'file' }, 40_000)
  .extend('uplink', { scope: 'file' }, async ({ speed }, { onCleanup }) => {
    const uplink = await startUplinkProxy(speed);
    onCleanup(() => uplink.close());
    return uplink;
  })
  .extend('environment', ({ uplink }) => ({ SITE_URL: uplink.url }));

/** A phone's photo, which compresses badly. */
const makePicture = () =>
  sharp({
    create: {
      width: 1800,
      height: 1200,
      channels: 3,
      background: '#687',
      noise: { type: 'gaussian', mean: 128, sigma: 20 },
    },
  })
    .jpeg()
    .toBuffer();

/** Milliseconds between two keys. Faster typing makes a tip suspicious, and it is held. */
const TYPING = { delay: 120 };

/** Returns a check that fails if the page was reloaded meanwhile. */
async function watchReload(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(() => document.documentElement.setAttribute('data-marked', ''));
  return async () => expect(await page.locator('[data-marked]').count(), page.url()).toBe(1);
}

/** Number of tips in the queue, after showing new tips that wait above it. */
async function countTips(page: Page): Promise<number> {
  const waiting = page.locator('.news-above button');
  if (await waiting.isVisible()) await waiting.click();
  return page.locator('.tip-row').count();
}

/** Advances the clock until an open receipt shows the text. On a slow connection it refetches every 30 s. */
const expectReceiptText = (page: Page, text: string) =>
  expect
    .poll(
      async () => {
        // Waits for the refetch, which would time out if the clock advanced again.
        const refetched = page.waitForResponse(/\/state$/, { timeout: REFETCH_MS / 2 }).catch(() => null);
        await page.clock.fastForward(REFETCH_MS);
        await refetched;
        return page.getByText(text).count();
      },
      { timeout: 45_000 },
    )
    .toBe(1);

const action = (row: Locator, label: string) => row.getByRole('button', { name: `${label}:` });

test(
  'takes a tip with a photo from a dropping connection to publication and credit, and shows each step to its sender without reload',
  async ({ newsroom, people, site, uplink, visit }) => {
    uplink.setTarget(site.url);
    const live = `/live/${newsroom.coverage.slug}`;
    const form = `/tips?coverage=${newsroom.coverage.slug}`;

    const { page: moderator } = await visit();
    await signIn(moderator, people.moderator);
    await moderator.goto('/desk/tips');
    await moderator.locator('.tip-head').waitFor();
    const queueStays = await watchReload(moderator);
    const { page: editor } = await visit({ viewport: WIDE_SCREEN });
    await signIn(editor, people.editor);
    await editor.goto(`/desk/${newsroom.coverage.slug}`);
    const deskStays = await watchReload(editor);
    const { page: follower } = await visit();
    await follower.goto(live);

    // A signed-in sender with a photo.
    const { page: sender, expectError } = await visit();
    expectError(/ERR_|Failed to load/);
    await signIn(sender, people.reader);
    await sender.goto(uplink.url + form);
    await sender.getByLabel(words.body).pressSequentially('Water stands over the lower gate.', TYPING);
    await sender.getByLabel(words.name, { exact: true }).fill('Ada Byron');
    await sender.getByLabel(words.mayName).check();
    await sender.getByLabel(words.contact).fill('ada@example.com');
    await sender
      .getByLabel(words.photo)
      .setInputFiles({ name: 'gate.jpg', mimeType: 'image/jpeg', buffer: await makePicture() });
    await sender.getByLabel(words.mine).waitFor();
    const uploads: string[] = [];
    sender.on('request', (request) => {
      const isUpload = request.url().includes('/upload/resumable/sign');
      if (isUpload) uploads.push(`${request.method()} ${request.headers()['upload-offset'] ?? ''}`);
    });
    uplink.cutEvery(CUT.bytes, CUT.times);
    await sender.getByRole('button', { name: words.send }).click();
    await expect.poll(() => uplink.cuts(), { timeout: 60_000 }).toBe(CUT.times);
    // The rest of the upload is fast.
    uplink.setUploadRate(1_000_000);
    await sender.getByText(words.photoReceived).waitFor({ timeout: 60_000 });
    // The upload resumed and did not restart.
    expect(uploads.filter((entry) => entry.startsWith('POST'))).toHaveLength(1);
    const offsets = uploads
      .filter((entry) => entry.startsWith('PATCH'))
      .map((entry) => Number(entry.slice(6)));
    expect(Math.max(...offsets)).toBeGreaterThan(0);
    const receipt = await sender.getByRole('link', { name: words.receiptLink }).getAttribute('href');

    // A sender without an account, with the receipt open.
    const { page: visitor } = await visit();
    await visitor.goto(form);
    await visitor.getByLabel(words.body).pressSequentially('The school is shut.', TYPING);
    await visitor.getByRole('button', { name: words.send }).click();
    await visitor.getByText(words.received).waitFor();
    await visitor.getByRole('link', { name: words.receiptLink }).click();
    await visitor.getByText(words.receipt.states.new).waitFor();
    await expectNoAxeFindings(visitor);
    const receiptStays = await watchReload(visitor);
    for (const page of [sender, visitor]) await page.clock.install();
    await sender.goto(`${site.url}${receipt}`);
    await sender.getByText(words.receipt.states.new).waitFor();
    const senderStays = await watchReload(sender);
    const account = await sender.context().newPage();
    await account.goto(`${site.url}/account`);
    const mine = account.getByRole('listitem').filter({ hasText: 'lower gate' });
    await mine.getByText(ownTips.states.new).waitFor();
    await account.getByText(ownTips.current).waitFor();
    const accountStays = await watchReload(account);

    const row = (text: string) => moderator.locator('.tip-row', { hasText: text });
    await expect.poll(() => countTips(moderator)).toBe(2);
    const gateRow = row('lower gate');
    await action(gateRow, queue.acts.take).click();
    await expectReceiptText(sender, words.receipt.states.in_review);
    await gateRow.getByText(queue.photo.show).click();
    await expect
      .poll(() =>
        gateRow
          .getByRole('img')
          .first()
          .evaluate((image: HTMLImageElement) => image.naturalWidth),
      )
      .toBeGreaterThan(0);
    await action(gateRow, queue.acts.use).click();
    await gateRow.getByRole('checkbox', { name: queue.use.photo }).check();
    await gateRow.getByLabel(queue.use.alt).fill('Water over a gate');
    await gateRow.getByRole('button', { name: queue.use.send }).click();
    await moderator.getByText(queue.said.use).first().waitFor();
    await expectReceiptText(sender, words.receipt.toCome);
    await action(row('The school is shut.'), queue.acts.decline).click();

    const update = editor.locator('.desk-row', { hasText: 'lower gate' });
    await update.getByRole('button', { name: desk.actions.publish }).click();
    await update.getByText(desk.updateStates.published).waitFor();

    await mine.getByText(ownTips.states.used).waitFor();
    await mine.getByRole('link', { name: ownTips.see }).waitFor();
    await expectReceiptText(sender, words.receipt.states.used);
    await expectReceiptText(visitor, words.receipt.states.declined);
    await expectNoAxeFindings(sender);
    for (const stays of [queueStays, deskStays, receiptStays, senderStays, accountStays]) await stays();

    await sender.getByRole('link', { name: words.receipt.read }).click();
    await follower.goto(live);
    for (const page of [sender, follower]) {
      const article = page.locator('article', { hasText: 'lower gate' }).first();
      const quote = article.locator('blockquote');
      expect(await quote.innerText()).toContain('Water stands over the lower gate.');
      expect(await article.innerText()).toContain('Ada Byron');
      expect(await article.innerText()).toContain(reader.photoBy('Ada Byron'));
      const photo = article.getByRole('img', { name: 'Water over a gate' });
      await photo.scrollIntoViewIfNeeded();
      await expect
        .poll(() => photo.evaluate((image: HTMLImageElement) => image.naturalWidth))
        .toBeGreaterThan(0);
      expect(await page.content()).not.toContain('ada@example.com');
    }
  },
  LONGEST_MS,
);
