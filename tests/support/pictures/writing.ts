import type { Page } from 'playwright-core';
import { FLOOD } from '../../../src/lib/cli/demo/flood.ts';
import { makeMedia } from '../media.ts';
import { discard, press, type Screen, type ScreenGroup, writeUpdate } from './screen.ts';

/** The fields of a link and of a post have the same class. */
const LINK = '.link-field:has(~ .media-field)';
const POST = '.media-field ~ .link-field';

/** Opens folded fields of the composer and scrolls to them. @param fields selector of their `details` */
async function openFields(page: Page, fields: string) {
  await writeUpdate(page);
  const details = page.locator(`.composer ${fields}`);
  await details.locator('summary').first().click();
  await details.evaluate((element) => element.scrollIntoView({ block: 'center' }));
  return details;
}

/** Types into the text fields of folded fields, in their order, and presses the button that adds them. */
const fillFields =
  (fields: string, result: string, ...texts: string[]) =>
  async (page: Page) => {
    const details = await openFields(page, fields);
    const inputs = details.locator(':is(input, textarea):not([type="file"])');
    await inputs.first().waitFor();
    for (const [index, text] of texts.entries()) await inputs.nth(index).fill(text);
    await details.locator('.actions > button').first().click();
    await details.locator(result).first().waitFor();
  };

async function typePost(page: Page): Promise<void> {
  await fillFields(POST, 'textarea', 'https://www.facebook.com/ostley/posts/1')(page);
  await page.locator(`.composer ${POST} .actions > button`).first().click();
  await page.locator(`.composer ${POST} .problem`).first().waitFor();
}

async function chooseMedia(page: Page, name: string): Promise<void> {
  const details = await openFields(page, '.media-field');
  await details.locator('input[type="file"]').setInputFiles({
    name,
    mimeType: name.endsWith('.mp3') ? 'audio/mpeg' : 'application/msword',
    buffer: makeMedia('mp3'),
  });
  // The buttons are ready when the file has arrived.
  await details.locator('.problem, .actions > button:first-child:not([aria-disabled])').first().waitFor();
}

async function fillTable(page: Page): Promise<void> {
  const details = await openFields(page, '.table-field');
  await details.locator('.table-kinds button').last().click();
  const cells = details.locator('.table-grid input');
  const texts = ['School on Church Hill', '40', 'Church Hill 2'];
  for (const [index, text] of texts.entries()) await cells.nth(texts.length + index).fill(text);
  await details.locator('.table-grid').evaluate((grid) => grid.scrollIntoView({ block: 'start' }));
}

async function refuseTableAddress(page: Page): Promise<void> {
  await fillTable(page);
  await page.locator('.table-editor input[inputmode="url"]').fill('ftp://example.com/shelters.csv');
  await page.locator('.table-editor .actions > button').last().click();
  const problem = page.locator('.table-editor .problem');
  await problem.evaluate((element) => element.scrollIntoView({ block: 'center' }));
}

async function addPhoto(page: Page): Promise<void> {
  await writeUpdate(page);
  await page.locator('.composer .add-photos input').setInputFiles('public/icon-180.png');
  const card = page.locator('.composer .photo-card').first();
  await card.locator('textarea').first().fill('Men carry sandbags up the steps to the school.');
  // The button before the one that removes the photo.
  await card.locator('.row-actions button').nth(-2).click();
  await card.evaluate((element) => element.scrollIntoView({ block: 'center' }));
}

const EVERY_TEXT = `The bridge is **closed**, says the *Harbour Office*.

- Quay Street: under water
- Mill Lane: open to buses

> Nobody should walk there tonight.

| Place | Height |
| --- | --- |
| Ferry Steps | 2.40 m |`;

async function preview(page: Page): Promise<void> {
  await writeUpdate(page);
  await page.locator('.composer textarea[name="body"]').fill(EVERY_TEXT);
  await press('.composer .preview > summary')(page);
  await page.locator('.composer .preview').evaluate((element) => element.scrollIntoView({ block: 'center' }));
}

async function publishNothing(page: Page): Promise<void> {
  await writeUpdate(page);
  await page.locator('.composer textarea[name="body"]').fill('');
  await press('.composer button[value="publish"]')(page);
  await page.locator('.composer .refused').waitFor();
}

async function scheduleInThePast(page: Page): Promise<void> {
  const details = await openFields(page, '.schedule');
  await details.locator('input').fill('2020-03-01T10:00');
  await details.locator('button').click();
  await details.locator('.problem').waitFor();
}

async function correct(page: Page): Promise<void> {
  await press('.desk-row.published [data-action="edit"]')(page);
  const kind = page.locator('.change-kind');
  await kind.locator('input[value="correction"]').check();
  await kind.locator('textarea').fill('An earlier version named the wrong bridge.');
  await kind.evaluate((element) => element.scrollIntoView({ block: 'center' }));
}

const as = 'owner';
const path = `/desk/${FLOOD.slug}`;

/** The fields of the form for an update. */
export const WRITING: ScreenGroup = {
  title: 'Writing',
  screens: (
    [
      ['every kind of text', preview],
      ['link that cannot be read', fillFields(LINK, '.problem', 'https://courier.invalid/tide-times')],
      ['map', fillFields('.map-field', '.status:not(:empty)', 'Ferry Steps', '53.3, -2.2')],
      ['map without coordinates', fillFields('.map-field', '.problem', 'Ferry Steps')],
      ['post to copy', typePost],
      ['video or audio file', (page) => chooseMedia(page, 'interview.mp3')],
      ['file that cannot be used', (page) => chooseMedia(page, 'interview.doc')],
      ['table', fillTable],
      ['table with a wrong address', refuseTableAddress],
      ['nothing written', publishNothing],
      ['scheduling in the past', scheduleInThePast],
      ['correction', correct],
      // The last one, because a photo that is still being sent stays in the form.
      ['photo in the text', addPhoto],
    ] as [string, Screen['prepare']][]
  ).map(([name, prepare]) => ({ name, path, as, prepare, restore: discard })),
};
