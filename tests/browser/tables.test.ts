import { expect } from 'vitest';
import { composer as composerWords } from '../../src/lib/i18n/en/composer.ts';
import { desk as words } from '../../src/lib/i18n/en/desk.ts';
import { expectNoAxeFindings } from '../support/browser.ts';
import { readStoredUpdates, test } from '../support/desk-page.ts';

const PHONE = { width: 360, height: 740 };

test('a table is written on a phone, appears on an open page, and a corrected cell is marked', async ({
  site,
  newsroom,
  openDesk,
  visit,
}) => {
  await newsroom.publish();
  const live = `/live/${newsroom.coverage.slug}`;
  const { page: reader } = await visit({ viewport: PHONE });
  await reader.goto(live);
  const table = reader.locator('#updates').getByRole('table', { name: 'Open now' });

  const { page, composer, box, row } = await openDesk('reporter', { viewport: PHONE });
  await page.getByRole('button', { name: composerWords.placeholder }).click();
  await box.pressSequentially('Beds tonight');
  await composer.getByRole('toolbar').getByRole('button', { name: composerWords.tools.table }).click();
  expect(await box.inputValue()).toBe('Beds tonight\n\n|  |  |\n| --- | --- |\n|  |  |');
  await box.fill('Beds tonight\n\n| Shelter | Beds |');
  for (const key of [
    'Enter',
    ...'School hall',
    'ArrowRight',
    'ArrowRight',
    'ArrowRight',
    '4',
    '0',
    'Enter',
    'Enter',
  ]) {
    await page.keyboard.press(key);
  }
  await page.keyboard.type(': Open now');
  await composer.getByRole('button', { name: words.saving.publish }).click();
  await expect
    .poll(async () => (await readStoredUpdates(site, newsroom))[1]?.body[1])
    .toMatchObject({ type: 'table' });

  await table.getByRole('cell', { name: 'School hall' }).waitFor();
  expect(await table.getByRole('columnheader').allInnerTexts()).toEqual(['Shelter', 'Beds']);
  await expectNoAxeFindings(reader);

  await page.keyboard.press('Escape');
  await row('Beds tonight').locator('[data-action="edit"]').click();
  const panel = page.locator('.panel.full-screen');
  const text = panel.getByLabel(composerWords.body);
  await text.fill((await text.inputValue()).replace('40', '35'));
  await panel.getByLabel(words.change.correction).check();
  await panel.getByLabel(words.change.note).fill('There are 35 beds.');
  await panel.getByRole('button', { name: words.saving.change }).click();
  await table.getByRole('cell', { name: '35' }).waitFor();

  await reader.goto(`${live}/2`);
  await reader.getByText('There are 35 beds.').first().waitFor();
  await reader.locator('del', { hasText: '40' }).waitFor({ state: 'attached' });
  await reader.locator('ins', { hasText: '35' }).waitFor({ state: 'attached' });
});
