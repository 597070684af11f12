import { expect } from 'vitest';
import { plainRows } from '../../src/lib/domain/body/blocks.ts';
import { composer as composerWords } from '../../src/lib/i18n/en/composer.ts';
import { corrections } from '../../src/lib/i18n/en/corrections.ts';
import { errorMessages } from '../../src/lib/i18n/en/database-errors.ts';
import { desk as words } from '../../src/lib/i18n/en/desk.ts';
import { expectNoAxeFindings, PHONE } from '../support/browser.ts';
import { readStoredUpdates, test } from '../support/desk-page.ts';

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

test('two people change different cells of a table in the grid on a phone, and readers see both changes', async ({
  site,
  newsroom,
  openDesk,
  visit,
}) => {
  const rows = [
    ['Road', 'State'],
    ['Mill Lane', 'open'],
    ['Quay', 'open'],
  ].map((cells) => cells.map((text) => [{ text }]));
  await newsroom.publish({ headline: 'Roads', body: [{ type: 'table', rows, preset: 'closures' }] });
  const { page: reader } = await visit({ viewport: PHONE, javaScriptEnabled: false });

  const openGrid = async (role: 'editor' | 'reporter') => {
    const desk = await openDesk(role, { viewport: PHONE });
    const update = desk.row('Roads');
    await update.locator('[data-action="edit"]').click();
    const panel = desk.page.locator('.panel.full-screen');
    await panel.getByText(composerWords.tables.title, { exact: true }).click();
    const cell = (row: number) => panel.getByLabel(composerWords.tables.cell('State', row), { exact: true });
    const save = () => panel.getByRole('button', { name: words.saving.change }).click();
    return { ...desk, panel, cell, save };
  };
  const [first, second] = [await openGrid('editor'), await openGrid('reporter')];
  second.expectError(/409/);

  await first.cell(1).fill('closed');
  await first.save();
  await first.panel.waitFor({ state: 'detached' });

  // By keyboard: down to the next row, and past the last one, which adds a row.
  await second.cell(1).focus();
  await second.page.keyboard.press('ArrowDown');
  await second.page.keyboard.type('restricted, one lane');
  await second.page.keyboard.press('Enter');
  await second.cell(3).waitFor();
  await expect.poll(() => second.cell(3).evaluate((field) => field === document.activeElement)).toBe(true);
  await second.page.keyboard.type('open');
  await second.page.keyboard.press('Shift+Tab');
  await second.page.keyboard.type('Elm Street');
  expect(await second.page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
  await expectNoAxeFindings(second.page);
  await second.save();
  await second.panel.waitFor({ state: 'detached' });

  const [update] = await readStoredUpdates(site, newsroom);
  expect(update?.version).toBe(3);
  await reader.goto(`/live/${newsroom.coverage.slug}/1`);
  const lines = await reader.getByRole('table').getByRole('row').allInnerTexts();
  expect(lines.map((line) => line.split('\t'))).toEqual([
    ['Road', 'State'],
    ['Mill Lane', 'closed'],
    ['Quay', 'restricted, one lane'],
    ['Elm Street', 'open'],
  ]);
  expect(await reader.locator('.table b.closed').innerText()).toBe('closed');
});

test('a table of a kind is inserted with names of columns, and readers see a bar of the share without scripts', async ({
  site,
  newsroom,
  openDesk,
  visit,
}) => {
  const { tables } = composerWords;
  const { page, composer, box } = await openDesk('editor', { viewport: PHONE });
  await page.getByRole('button', { name: composerWords.placeholder }).click();
  await composer.getByText(tables.title, { exact: true }).click();
  await composer.getByRole('button', { name: corrections.difference.presets.results }).click();
  await page.keyboard.type('Ada');
  const cell = (name: string) => composer.getByLabel(tables.cell(name, 1), { exact: true });
  await cell('Votes').fill('1,200');
  await cell('Share').fill('60 %');
  await composer.getByRole('button', { name: `: ${tables.now}` }).click();
  await expectNoAxeFindings(page);
  expect((await box.inputValue()).split('\n').slice(0, 3)).toEqual([
    '| Candidate | Votes | Share |',
    '| --- | ---: | --- |',
    '| Ada | 1,200 | 60 % |',
  ]);
  await composer.getByRole('button', { name: words.saving.publish }).click();
  await expect
    .poll(async () => (await readStoredUpdates(site, newsroom))[0]?.body)
    .toMatchObject([{ type: 'table', preset: 'results', as_of: expect.stringMatching(/:00Z$/) }]);

  const { page: plain } = await visit({ viewport: PHONE, javaScriptEnabled: false });
  await plain.goto(`/live/${newsroom.coverage.slug}/1`);
  const share = plain.getByRole('cell', { name: '60 %', exact: true });
  const [whole, bar] = [await share.boundingBox(), await share.locator('svg').boundingBox()];
  expect(Math.abs((bar?.width ?? 0) / (whole?.width ?? 0) - 0.6)).toBeLessThan(0.05);
  expect(bar?.height).toBeGreaterThan(4);
  expect(await plain.locator('figcaption time').innerText()).toMatch(/^\d\d:\d\d$/);

  const { page: reader } = await visit({ viewport: PHONE });
  await reader.goto(`/live/${newsroom.coverage.slug}/1`);
  expect(await reader.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
  await expectNoAxeFindings(reader);
});

test('asks only about the cell that both changed, and keeps their other cells', async ({
  newsroom,
  openDesk,
}) => {
  const bodyOf = (mill: string, quay: string) => {
    const cells = [
      ['Road', 'State'],
      ['Mill Lane', mill],
      ['Quay', quay],
    ];
    return [{ type: 'table' as const, rows: cells.map((row) => row.map((text) => [{ text }])) }];
  };
  const id = await newsroom.publish({ headline: 'Roads', body: bodyOf('open', 'open') });
  const { row, expectError } = await openDesk('editor');
  expectError(/409/);
  const update = row('Roads');
  await update.locator('[data-action="edit"]').click();
  await update.getByText(composerWords.tables.title, { exact: true }).click();
  const cell = (index: number) =>
    update.getByLabel(composerWords.tables.cell('State', index), { exact: true });
  await cell(1).fill('flooded');
  await newsroom.revise(id, { headline: 'Roads', body: bodyOf('closed', 'restricted') });
  await update.getByRole('button', { name: words.saving.change }).click();
  const conflict = update.locator('.conflict');
  await conflict.locator('del', { hasText: 'closed' }).waitFor();
  await conflict.locator('ins', { hasText: 'flooded' }).waitFor();
  expect(await conflict.locator('del').count()).toBe(1);
  expect(await cell(2).inputValue()).toBe('restricted');
  await conflict.getByRole('button', { name: words.conflict.keepMine }).click();
  await update.getByRole('button', { name: words.saving.change }).click();
  await update.locator('.panel').waitFor({ state: 'detached' });
});

test('a table is filled from a CSV address at once, and a failed reading keeps its cells', async ({
  site,
  newsroom,
  openDesk,
}) => {
  const rows = plainRows([
    ['Gauge', 'Level'],
    ['Quay', '2.1'],
  ]);
  await newsroom.publish({ headline: 'Levels', body: [{ type: 'table', rows }] });
  const { page, row, expectError } = await openDesk('reporter', { viewport: PHONE });
  let answer: object = { status: 422, json: { code: 'invalid', reason: 'not_csv', field: 'url' } };
  await page.route('**/functions/v1/unfurl-link', (route) => route.fulfill(answer));
  await row('Levels').locator('[data-action="edit"]').click();
  const panel = page.locator('.panel.full-screen');
  const { csv } = composerWords.tables;
  await panel.getByText(composerWords.tables.title, { exact: true }).click();
  const address = panel.getByLabel(csv.label, { exact: true });
  const level = panel.getByLabel(composerWords.tables.cell('Level', 1), { exact: true });
  const read = () => panel.getByRole('button', { name: csv.readNow }).click();

  await address.fill('port.example/levels.csv');
  await read();
  await panel.getByText(csv.notAnAddress).waitFor();
  await address.fill('https://port.example/levels.csv');
  expectError(/422/);
  await read();
  await panel.getByText(errorMessages.not_csv).waitFor();
  expect(await level.inputValue()).toBe('2.1');
  await expectNoAxeFindings(page);

  const cells = [
    ['Gauge', 'Level', 'At'],
    ['Quay', '*2.4*', '14:02'],
  ];
  answer = { json: cells };
  await read();
  await panel.getByText(csv.read(1)).waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
  await panel.getByRole('button', { name: words.saving.change }).click();
  await panel.waitFor({ state: 'detached' });
  expect((await readStoredUpdates(site, newsroom))[0]?.body).toEqual([
    {
      type: 'table',
      rows: plainRows(cells),
      csv: 'https://port.example/levels.csv',
      as_of: expect.stringMatching(/Z$/),
    },
  ]);
});

test('a long word of a closed place keeps its padding on each of its lines', async ({ newsroom, visit }) => {
  const rows = plainRows([
    ['Place', 'State'],
    ['Quay', 'closed until the water has fallen below the mark of the harbour, at the earliest on Monday'],
  ]);
  await newsroom.publish({ body: [{ type: 'table', rows, preset: 'closures' }] });
  const { page } = await visit({ viewport: PHONE });
  await page.goto(`/live/${newsroom.coverage.slug}/1`);
  const word = page.getByRole('table').locator('b.closed');
  expect(await word.evaluate((element) => element.getClientRects().length)).toBeGreaterThan(1);
  expect(await word.evaluate((element) => getComputedStyle(element).boxDecorationBreak)).toBe('clone');
});
