import { expect } from 'vitest';
import { composer as composerWords } from '../../src/lib/i18n/en/composer.ts';
import { photoPicker, photoLibrary as words } from '../../src/lib/i18n/en/photos.ts';
import { expectNoAxeFindings, test } from '../support/browser.ts';
import { WIDE_SCREEN } from '../support/chromium.ts';
import { openDesk } from '../support/desk-page.ts';
import { openLivePage } from '../support/live-page.ts';
import { paragraph } from '../support/newsroom.ts';
import { ALT, addPhoto, makePhoto } from '../support/photos.ts';
import { signIn } from '../support/sign-in.ts';

/** Number of the update that the reader reads, below all changes. */
const READ = 3;

test('shows each change by a reporter on the open page without moving the text that is read', async ({
  newsroom,
  visit,
}) => {
  for (let n = 1; n <= 8; n++) await newsroom.publish();
  const reporter = await openDesk((await visit()).page, newsroom.people.reporter, newsroom.coverage.slug);
  const reader = await openLivePage((await visit()).page, newsroom.coverage.slug);
  await reader.scrollTo(READ);
  const place = await reader.positionOf(READ);
  /** Waits until an update shows the text, and expects the reading position to be unchanged. */
  const expectChange = async (number: number, words: string) => {
    await expect.poll(() => reader.text(number)).toContain(words);
    const now = await reader.positionOf(READ);
    expect(Math.abs(now.y - place.y)).toBeLessThanOrEqual(1);
    expect(now.x).toBe(place.x);
  };

  await reporter.revise(
    7,
    'The water is at the second step.\n\nIt was at the first an hour ago.\n\nIt rises still.',
  );
  await expectChange(7, 'The water is at the second step.');

  await reporter.correct(6, 'The school is open.', 'We said that the school is closed. It is open.');
  await expectChange(6, 'We said that the school is closed.');

  await reporter.withdraw(5, 'It was about another river.');
  await expectChange(5, 'It was about another river.');
  expect(await reader.text(5)).not.toContain('Report 5');

  await reporter.publish('The bridge is **closed**.');
  const bar = reader.page.getByRole('button', { name: '1 new update' });
  await bar.waitFor();
  expect(Math.abs((await reader.positionOf(READ)).y - place.y)).toBeLessThanOrEqual(1);
  await bar.click();
  expect(await reader.text(9)).toContain('The bridge is closed.');
  expect(await reader.numbers()).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);

  const plain = (await visit({ javaScriptEnabled: false })).page;
  await plain.goto(`/live/${newsroom.coverage.slug}`);
  const text = await plain.locator('#updates').innerText();
  expect(text).toContain('The bridge is closed.');
  expect(text).toContain('We said that the school is closed.');
});

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
