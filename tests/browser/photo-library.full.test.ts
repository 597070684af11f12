import { expect } from 'vitest';
import { composer as composerWords } from '../../src/lib/i18n/en/composer.ts';
import { photoPicker, photoLibrary as words } from '../../src/lib/i18n/en/photos.ts';
import { expectNoAxeFindings, test } from '../support/browser.ts';
import { WIDE_SCREEN } from '../support/chromium.ts';
import { paragraph } from '../support/newsroom.ts';
import { ALT, addPhoto, makePhoto } from '../support/photos.ts';
import { signIn } from '../support/sign-in.ts';

test('replaces and removes a photo of the library on an open live page', async ({
  site,
  newsroom,
  visit,
}) => {
  const { coverage, people } = newsroom;
  const { id, block } = await addPhoto(site, newsroom);
  await newsroom.publish({ body: [paragraph('The lower gate holds.'), block] });
  const { page: reader } = await visit();
  await reader.goto(`/live/${coverage.slug}`);
  const shownPhotos = () =>
    reader
      .locator('article :not(noscript) > img')
      .evaluateAll((all) => all.map((one) => one.getAttribute('src')?.split('/')[2]));
  await expect.poll(shownPhotos).toEqual([id]);

  const { page } = await visit({ viewport: WIDE_SCREEN });
  await signIn(page, people.reporter);
  await page.goto('/desk/photos');
  await expectNoAxeFindings(page);
  await page.getByRole('link', { name: ALT }).click();
  await page.getByText(words.changes(1, 1)).first().waitFor();
  await page.getByText(words.replace.open).click();
  await expectNoAxeFindings(page);
  const picture = { name: 'gate.jpg', mimeType: 'image/jpeg', buffer: await makePhoto(900, 600) };
  await page.getByLabel(words.replace.file).setInputFiles(picture);
  const replacing = page.getByRole('region', { name: words.replace.title });
  await replacing.getByLabel(words.revision).check();
  await page.getByRole('button', { name: words.replace.press }).click();
  await page.getByText(words.replace.done(1, 1)).waitFor();
  const replacement = new URL(page.url()).pathname.split('/').at(-1);
  await expect.poll(shownPhotos).toEqual([replacement]);

  await page.getByText(words.remove.open).click();
  await page.getByLabel(words.note).last().fill('It showed another gate.');
  await page.getByRole('button', { name: words.remove.press }).click();
  await page.getByText(words.one.removed).waitFor();
  await expectNoAxeFindings(page);
  await expect.poll(shownPhotos).toEqual([]);
  await reader.getByText('It showed another gate.').waitFor();

  // Removing the second photo leaves the first one in the library, for other updates.
  await page.goto(`/desk/${coverage.slug}`);
  const composer = page.getByRole('region', { name: composerWords.title });
  await composer.getByLabel(composerWords.body).fill('The quay again.');
  await composer.getByText(composerWords.more, { exact: true }).click();
  await composer.getByRole('button', { name: photoPicker.open }).click();
  await composer.getByLabel(photoPicker.search).fill('quay');
  await page.keyboard.press('Enter');
  await composer.getByRole('button', { name: ALT }).waitFor();
  await expectNoAxeFindings(page);
  await composer.getByRole('button', { name: ALT }).click();
  await composer.getByText(photoPicker.chosen(1, ALT)).waitFor();
  await composer.getByLabel(photoPicker.search).fill('no such words');
  await page.keyboard.press('Enter');
  await composer.getByText(photoPicker.none).waitFor();
  await page.keyboard.press('Escape');
  await composer.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect.poll(shownPhotos).toEqual([id]);
});
