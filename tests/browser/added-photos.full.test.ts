import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { composer as composerWords } from '../../src/lib/i18n/en/composer.ts';
import { desk as words } from '../../src/lib/i18n/en/desk.ts';
import { deskPhotos } from '../../src/lib/i18n/en/photos.ts';
import { expectNoAxeFindings } from '../support/browser.ts';
import { readStoredUpdates, test } from '../support/desk-page.ts';
import { makePhoto } from '../support/photos.ts';

type Sent = { name: string; type: string; bytes?: string; size?: number };

/** Pastes files into an element, or drops them on it. @returns whether the page handled it */
const send = (target: Locator, how: 'paste' | 'drop' | 'dragover', files: Sent[], text = '') =>
  target.evaluate(
    (element, { how, files, text }) => {
      const data = new DataTransfer();
      if (text) data.setData('text/plain', text);
      for (const { name, type, bytes = '', size = 0 } of files) {
        const content = size
          ? new Uint8Array(size)
          : Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0));
        data.items.add(new File([content], name, { type }));
      }
      const options = { bubbles: true, cancelable: true };
      const event =
        how === 'paste'
          ? new ClipboardEvent(how, { ...options, clipboardData: data })
          : new DragEvent(how, { ...options, dataTransfer: data });
      return !element.dispatchEvent(event);
    },
    { how, files, text },
  );

test('refuses dropped files that are no photos, and keeps the text and the other photos, also offline', async ({
  site,
  newsroom,
  openDesk,
}) => {
  const { page, composer, box, expectError } = await openDesk('reporter');
  // A refused photo was never announced at the desk.
  expectError(/ERR_INTERNET_DISCONNECTED|WebSocket|cancel_photo/);
  const photo = { type: 'image/jpeg', bytes: (await makePhoto(600, 400)).toString('base64') };
  const card = (index: number, count: number) =>
    composer.getByRole('listitem', { name: deskPhotos.item(index, count), exact: true });
  const { refusals, steps, tray } = deskPhotos;
  // Photos wait for text, so the draft must be saved before the connection is lost.
  const saved = page.waitForResponse(/\/rpc\/save_update$/);
  await box.fill('The gate is open');

  expect(await send(box, 'dragover', [{ ...photo, name: 'a.jpg' }])).toBe(true);
  await page.locator('.editor.drop-target').waitFor();
  const dropped = [
    { name: 'minutes.pdf', type: 'application/pdf', bytes: btoa('%PDF-1.7') },
    { ...photo, name: 'gate.jpg' },
    { name: 'huge.jpg', type: 'image/jpeg', size: 20 * 1024 * 1024 + 1 },
  ];
  expect(await send(box, 'drop', dropped)).toBe(true);
  await page.locator('.editor.drop-target').waitFor({ state: 'detached' });
  await composer
    .getByRole('status')
    .filter({ hasText: deskPhotos.added(3) })
    .waitFor({ state: 'attached' });
  await card(1, 3).getByText(tray.about('minutes.pdf', refusals.unsupported_media)).waitFor();
  await card(3, 3).getByText(tray.about('huge.jpg', refusals.too_large)).waitFor();
  await card(2, 3).getByText(steps.ready).waitFor();
  await expectNoAxeFindings(page);

  await (await saved).finished();
  await page.context().setOffline(true);
  expect(await send(box, 'paste', [{ ...photo, name: 'image.png' }])).toBe(true);
  await composer.getByText(deskPhotos.holdUps.line).waitFor();
  expect(await box.inputValue()).toBe('The gate is open');
  await page.context().setOffline(false);
  await card(4, 4).getByText(steps.ready).waitFor();

  for (const [index, count] of [
    [3, 4],
    [1, 3],
  ] as const)
    await card(index, count)
      .getByRole('button', { name: deskPhotos.about(deskPhotos.takeAway, index) })
      .click();
  await card(1, 2).getByLabel(deskPhotos.alt).fill('The open gate');
  await card(2, 2).getByLabel(deskPhotos.alt).fill('The gate from the bridge');
  await composer.getByRole('button', { name: words.saving.publish }).click();
  await expect
    .poll(async () => (await readStoredUpdates(site, newsroom))[0])
    .toMatchObject({
      state: 'published',
      body: [{ type: 'paragraph' }, { type: 'photo' }, { type: 'photo' }],
    });
});

test('takes pasted photos in any field, but no picture of pasted text, and no file that is dropped beside', async ({
  openDesk,
}) => {
  const { page, composer, box } = await openDesk('reporter');
  const photo = {
    name: 'gate.jpg',
    type: 'image/jpeg',
    bytes: (await makePhoto(600, 400)).toString('base64'),
  };
  const cards = composer.locator('.photo-card');
  // The browser inserts the text.
  expect(await send(box, 'paste', [{ ...photo, name: 'image.png' }], 'Copied from a word processor')).toBe(
    false,
  );
  // A page that does not handle a drop is left for the file.
  expect(await send(page.locator('h1').first(), 'dragover', [photo])).toBe(true);
  expect(await send(page.locator('h1').first(), 'drop', [photo])).toBe(true);
  expect(await cards.count()).toBe(0);

  expect(await send(composer.getByLabel(composerWords.headline), 'paste', [photo])).toBe(true);
  await cards.nth(0).waitFor();
  // Some systems copy a file with its name.
  const alt = composer.getByLabel(deskPhotos.alt).first();
  expect(await send(alt, 'paste', [photo, { ...photo, name: 'quay.jpg' }], 'gate.jpg\nquay.jpg')).toBe(true);
  await cards.nth(2).waitFor();
  await composer
    .getByRole('status')
    .filter({ hasText: deskPhotos.added(2) })
    .waitFor({ state: 'attached' });
  expect(await alt.inputValue()).toBe('');
});
