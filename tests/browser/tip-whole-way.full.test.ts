import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { expect } from 'vitest';
import { desk } from '../../src/lib/i18n/desk.ts';
import { ownTips } from '../../src/lib/i18n/own-tips.ts';
import { reader } from '../../src/lib/i18n/reader.ts';
import { tipQueue as queue } from '../../src/lib/i18n/tip-queue.ts';
import { tips as words } from '../../src/lib/i18n/tips.ts';
import { test as base, expectNoAxeFindings } from '../support/browser.ts';
import { signIn } from '../support/sign-in.ts';
import { startUplinkProxy } from '../support/tcp-proxies.ts';

/** How many bytes go up until the line breaks; so often. */
const CUT = { bytes: 60_000, times: 3 };
/** The line breaks three times, and many people open many pages. */
const LONGEST_MS = 150_000;
const LOOK_MS = 10_000;

const test = base
  /** Bytes that go up in a second. */
  .extend('speed', { scope: 'file' }, 40_000)
  .extend('line', { scope: 'file' }, async ({ speed }, { onCleanup }) => {
    const line = await startUplinkProxy(speed);
    onCleanup(() => line.close());
    return line;
  })
  .extend('environment', ({ line }) => ({ SITE_URL: line.url }));

/** A telephone's picture: it does not pack well. */
const picture = () =>
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

/** Between two keys, in milliseconds: what is written faster than people write is held. */
const AS_PEOPLE_DO = { delay: 120 };

/** Fails if its page is loaded anew after this. */
async function neverReloaded(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(() => document.documentElement.setAttribute('data-marked', ''));
  return async () => expect(await page.locator('[data-marked]').count(), page.url()).toBe(1);
}

/** How many tips the queue shows, once what waits above it was let in. */
async function shown(page: Page): Promise<number> {
  const waiting = page.locator('.news-above button');
  if (await waiting.isVisible()) await waiting.click();
  return page.locator('.tip-row').count();
}

/** Time passes for a receipt that is open, until it says this: on a line that was found slow it looks every 30 s. */
const looksAndSees = (page: Page, text: string) =>
  expect
    .poll(
      async () => {
        // As long as a look takes, or the next would be the end of its patience.
        const looked = page.waitForResponse(/\/state$/, { timeout: LOOK_MS / 2 }).catch(() => null);
        await page.clock.fastForward(LOOK_MS);
        await looked;
        return page.getByText(text).count();
      },
      { timeout: 45_000 },
    )
    .toBe(1);

const act = (row: Locator, what: string) => row.getByRole('button', { name: `${what}:` });

test(
  'a tip with a photo on a dropping line is seen as it arrives, taken, used, published and credited; its sender sees that without reloading',
  async ({ newsroom, people, site, line, visit }) => {
    line.setTarget(site.url);
    const live = `/live/${newsroom.coverage.slug}`;
    const form = `/tips?coverage=${newsroom.coverage.slug}`;

    const { page: moderator } = await visit();
    await signIn(moderator, people.moderator);
    await moderator.goto('/desk/tips');
    await moderator.locator('.tip-head').waitFor();
    const queueStays = await neverReloaded(moderator);
    const { page: editor } = await visit();
    await signIn(editor, people.editor);
    await editor.goto(`/desk/${newsroom.coverage.slug}`);
    const deskStays = await neverReloaded(editor);
    const { page: follower } = await visit();
    await follower.goto(live);

    // Somebody who is signed in, with a photo.
    const { page: sender, expectError } = await visit();
    expectError(/ERR_|Failed to load/);
    await signIn(sender, people.reader);
    await sender.goto(line.url + form);
    await sender.getByLabel(words.body).pressSequentially('Water stands over the lower gate.', AS_PEOPLE_DO);
    await sender.getByLabel(words.name, { exact: true }).fill('Ada Byron');
    await sender.getByLabel(words.mayName).check();
    await sender.getByLabel(words.contact).fill('ada@example.com');
    await sender
      .getByLabel(words.photo)
      .setInputFiles({ name: 'gate.jpg', mimeType: 'image/jpeg', buffer: await picture() });
    await sender.getByLabel(words.mine).waitFor();
    const begun: string[] = [];
    sender.on('request', (request) => {
      const isUpload = request.url().includes('/upload/resumable/sign');
      if (isUpload) begun.push(`${request.method()} ${request.headers()['upload-offset'] ?? ''}`);
    });
    line.cutEvery(CUT.bytes, CUT.times);
    await sender.getByRole('button', { name: words.send }).click();
    await expect.poll(() => line.cuts(), { timeout: 60_000 }).toBe(CUT.times);
    // That was the poor part of the way.
    line.setUploadRate(1_000_000);
    await sender.getByText(words.photoReceived).waitFor({ timeout: 60_000 });
    // It went on from where it was, and not from the beginning.
    expect(begun.filter((what) => what.startsWith('POST'))).toHaveLength(1);
    const offsets = begun.filter((what) => what.startsWith('PATCH')).map((what) => Number(what.slice(6)));
    expect(Math.max(...offsets)).toBeGreaterThan(0);
    const receipt = await sender.getByRole('link', { name: words.receiptLink }).getAttribute('href');

    // And somebody who is not, with the receipt open.
    const { page: nobody } = await visit();
    await nobody.goto(form);
    await nobody.getByLabel(words.body).pressSequentially('The school is shut.', AS_PEOPLE_DO);
    await nobody.getByRole('button', { name: words.send }).click();
    await nobody.getByText(words.received).waitFor();
    await nobody.getByRole('link', { name: words.receiptLink }).click();
    await nobody.getByText(words.receipt.states.new).waitFor();
    await expectNoAxeFindings(nobody);
    const receiptStays = await neverReloaded(nobody);
    for (const page of [sender, nobody]) await page.clock.install();
    await sender.goto(`${site.url}${receipt}`);
    await sender.getByText(words.receipt.states.new).waitFor();
    const senderStays = await neverReloaded(sender);
    const account = await sender.context().newPage();
    await account.goto(`${site.url}/account`);
    const mine = account.getByRole('listitem').filter({ hasText: 'lower gate' });
    await mine.getByText(ownTips.states.new).waitFor();
    await account.getByText(ownTips.current).waitFor();
    const accountStays = await neverReloaded(account);

    const row = (text: string) => moderator.locator('.tip-row', { hasText: text });
    await expect.poll(() => shown(moderator)).toBe(2);
    const theirs = row('lower gate');
    await act(theirs, queue.acts.take).click();
    await looksAndSees(sender, words.receipt.states.in_review);
    await theirs.getByText(queue.photo.show).click();
    await expect
      .poll(() =>
        theirs
          .getByRole('img')
          .first()
          .evaluate((image: HTMLImageElement) => image.naturalWidth),
      )
      .toBeGreaterThan(0);
    await act(theirs, queue.acts.use).click();
    await theirs.getByRole('checkbox', { name: queue.use.photo }).check();
    await theirs.getByLabel(queue.use.alt).fill('Water over a gate');
    await theirs.getByRole('button', { name: queue.use.send }).click();
    await moderator.getByText(queue.said.use).first().waitFor();
    await looksAndSees(sender, words.receipt.toCome);
    await act(row('The school is shut.'), queue.acts.decline).click();

    const update = editor.locator('.desk-row', { hasText: 'lower gate' });
    await update.getByRole('button', { name: desk.actions.publish }).click();
    await update.getByText(desk.updateStates.published).waitFor();

    await mine.getByText(ownTips.states.used).waitFor();
    await mine.getByRole('link', { name: ownTips.see }).waitFor();
    await looksAndSees(sender, words.receipt.states.used);
    await looksAndSees(nobody, words.receipt.states.declined);
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
