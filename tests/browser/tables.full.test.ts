import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { plainRows, type Table } from '../../src/lib/domain/body/blocks.ts';
import { composer as composerWords } from '../../src/lib/i18n/en/composer.ts';
import { corrections } from '../../src/lib/i18n/en/corrections.ts';
import { errorMessages } from '../../src/lib/i18n/en/database-errors.ts';
import { desk as words } from '../../src/lib/i18n/en/desk.ts';
import { reader as readerWords } from '../../src/lib/i18n/en/reader.ts';
import { expectNoAxeFindings, PHONE } from '../support/browser.ts';
import { readStoredUpdates, test } from '../support/desk-page.ts';
import { call } from '../support/newsroom.ts';

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

test('a table that is not updated says since when on an open page, in other sites and in feeds', async ({
  site,
  newsroom,
  visit,
}) => {
  const { id: coverage_id, slug } = newsroom.coverage;
  const content = { language: 'es' };
  await call(newsroom.people.editor.client, 'save_coverage', { coverage_id, version: 1, content });
  const live = `/live/${slug}`;
  const { page } = await visit({ viewport: PHONE });
  await page.goto(live);
  const table: Table = {
    type: 'table',
    rows: plainRows([
      ['Gauge', 'Level'],
      ['Quay', '2.1'],
    ]),
    source: 'Port',
    as_of: '2026-11-28T13:02:00Z',
    csv: 'https://127.0.0.1/levels.csv',
  };
  const update = await newsroom.publish({ body: [table] });
  const note = page.locator('#updates figcaption');
  await expect.poll(() => note.innerText()).toMatch(/^Port · Hora de los datos: /);
  expect(await note.innerText()).not.toContain('sin actualizar');

  // As the database does it after five minutes.
  await newsroom.withdraw(update, 'Undone.');
  await newsroom.publish({ body: [{ ...table, stale: true }] });
  const text = /Hora de los datos: .*; sin actualizar desde entonces/;
  await page.locator('#updates figcaption b').filter({ hasText: text }).waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
  await expectNoAxeFindings(page);
  for (const path of ['', '/2', '/embed', '/part', '/feed.atom', '/feed.json']) {
    const plain = async () =>
      (await (await fetch(`${site.url}${live}${path}`)).text()).replace(/<[^>]+>|&lt;.*?&gt;/g, '');
    await expect.poll(plain, { message: path }).toMatch(text);
  }
});

test('a reader unfolds the other rows of a long table by keyboard, and without scripts they are on its page', async ({
  newsroom,
  visit,
}) => {
  const rows = plainRows([
    ['Gauge', 'Level'],
    ...Array.from({ length: 30 }, (_, n) => [`Gauge ${n + 1}`, `${n + 1}.5`]),
  ]);
  await newsroom.publish({ headline: 'Levels', body: [{ type: 'table', rows, caption: 'All' }] });
  const live = `/live/${newsroom.coverage.slug}`;
  const rowsIn = (article: Locator) => article.getByRole('row').filter({ visible: true });

  const { page } = await visit({ viewport: PHONE, hasTouch: true });
  await page.goto(live);
  const article = page.locator('#updates #update-1');
  const more = article.getByText(readerWords.readOn, { exact: true });
  await more.waitFor();
  // Twelve rows and the names of the columns.
  expect(await rowsIn(article).count()).toBe(13);
  const box = await more.boundingBox();
  expect(box?.height).toBeGreaterThanOrEqual(24);
  // By keyboard: the area that scrolls sideways is the stop before.
  await article.getByRole('group', { name: 'All' }).focus();
  await page.keyboard.press('Tab');
  expect(await more.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press('Enter');
  await expect.poll(() => rowsIn(article).count()).toBe(13 + 19);
  expect(await article.getByRole('columnheader').allInnerTexts()).toEqual([
    'Gauge',
    'Level',
    'Gauge',
    'Level',
  ]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
  await expectNoAxeFindings(page);
  await page.keyboard.press('Enter');
  await expect.poll(() => rowsIn(article).count()).toBe(13);
  await more.tap();
  await expect.poll(() => rowsIn(article).count()).toBe(13 + 19);

  const { page: plain } = await visit({ viewport: PHONE, javaScriptEnabled: false });
  await plain.goto(live);
  const folded = plain.locator('#updates #update-1');
  expect(await rowsIn(folded).count()).toBe(13);
  await folded.getByText(readerWords.readOn, { exact: true }).click();
  await expect.poll(() => rowsIn(folded).count()).toBe(13 + 19);
  await folded.locator('.when a').click();
  await plain.waitForURL(`**${live}/1`);
  expect(await plain.getByRole('row').count()).toBe(31);
  await plain.getByRole('cell', { name: 'Gauge 30', exact: true }).waitFor();
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
