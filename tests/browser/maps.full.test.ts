import { expect } from 'vitest';
import { composer as composerWords } from '../../src/lib/i18n/en/composer.ts';
import { desk as words } from '../../src/lib/i18n/en/desk.ts';
import { reader as readerWords } from '../../src/lib/i18n/en/reader.ts';
import { expectNoAxeFindings, PHONE } from '../support/browser.ts';
import { readStoredUpdates, test } from '../support/desk-page.ts';
import { watchLayoutShifts } from '../support/live-page.ts';

test('a map is written on a phone, appears on an open page, is corrected and withdrawn', async ({
  site,
  newsroom,
  openDesk,
  visit,
}) => {
  await newsroom.publish();
  const live = `/live/${newsroom.coverage.slug}`;
  const { page: reader } = await visit({ viewport: PHONE });
  const hosts = new Set<string>();
  reader.on('request', (request) => hosts.add(new URL(request.url()).host));
  const layoutShifts = await watchLayoutShifts(reader);
  await reader.goto(live);
  const update = reader.locator('#updates #update-2');

  const { page, composer, box, row } = await openDesk('reporter', { viewport: PHONE });
  await page.getByRole('button', { name: composerWords.placeholder }).click();
  await box.fill('Beds tonight');
  await composer.getByText(composerWords.map.title, { exact: true }).click();
  const coordinates = composer.getByLabel(composerWords.map.coordinates);
  const add = composer.getByRole('button', { name: composerWords.map.add });
  await composer.getByLabel(composerWords.map.name).fill('School hall');
  await coordinates.fill('by the church');
  await add.click();
  await composer.getByText(composerWords.map.noCoordinates).waitFor();
  expect(await coordinates.inputValue()).toBe('by the church');
  await expectNoAxeFindings(page);
  await coordinates.fill('https://www.openstreetmap.org/?mlat=53.69012&mlon=-0.44213#map=15/53.7/-0.4');
  await add.click();
  await composer.getByText(composerWords.map.added('School hall')).waitFor();
  expect(await box.inputValue()).toBe('Beds tonight\n\n[School hall](geo:53.69012,-0.44213?z=15)');
  await composer.getByRole('button', { name: words.saving.publish }).click();
  await expect
    .poll(async () => (await readStoredUpdates(site, newsroom))[1]?.body[1])
    .toEqual({ type: 'map', name: 'School hall', latitude: 53.69012, longitude: -0.44213, zoom: 15 });

  const place = update.getByRole('link', { name: 'School hall' });
  await place.waitFor();
  expect(await place.getAttribute('href')).toBe(
    'https://www.openstreetmap.org/?mlat=53.69012&mlon=-0.44213#map=15/53.69012/-0.44213',
  );
  await update.getByText(readerWords.coordinates(53.69012, -0.44213)).waitFor();
  expect(await update.getByRole('link', { name: readerWords.mapApp }).getAttribute('href')).toBe(
    'geo:53.69012,-0.44213?z=15',
  );
  await expectNoAxeFindings(reader);
  await reader.reload();
  await place.scrollIntoViewIfNeeded();
  expect(await layoutShifts()).toEqual([]);

  await page.keyboard.press('Escape');
  await row('Beds tonight').locator('[data-action="edit"]').click();
  const panel = page.locator('.panel.full-screen');
  const text = panel.getByLabel(composerWords.body);
  const before = await text.inputValue();
  await text.fill(before.replace('53.69012', '95'));
  await panel.getByLabel(words.change.correction).check();
  await panel.getByLabel(words.change.note).fill('It is by the mill.');
  const save = panel.getByRole('button', { name: words.saving.change });
  await save.click();
  await panel.locator('.problem', { hasText: words.problems.map(80) }).waitFor();
  expect(await text.inputValue()).toBe(before.replace('53.69012', '95'));
  await text.fill(before.replace('53.69012', '53.7'));
  await save.click();
  await update.getByText(readerWords.coordinates(53.7, -0.44213)).waitFor();

  const { page: plain } = await visit({ viewport: PHONE, javaScriptEnabled: false });
  await plain.goto(`${live}/2`);
  await plain.getByRole('link', { name: 'School hall' }).waitFor();
  await plain.locator('del', { hasText: '53.69012' }).waitFor({ state: 'attached' });
  await plain.locator('ins', { hasText: '53.7' }).waitFor({ state: 'attached' });

  const [, stored] = await readStoredUpdates(site, newsroom);
  await newsroom.withdraw(stored, 'The hall is full.');
  await place.waitFor({ state: 'detached' });
  expect([...hosts]).toEqual([new URL(site.url).host]);
});
