import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { expect } from 'vitest';
import { deskLinks } from '../../src/lib/text/desk-links.ts';
import { tips as words } from '../../src/lib/text/tips.ts';
import { expectNoAxeFindings, test } from '../support/browser.ts';
import { signIn } from '../support/sign-in.ts';

/** As a telephone makes them: large, and with the place where it was taken. */
const photo = sharp({ create: { width: 1800, height: 1200, channels: 3, background: '#687' } })
  .jpeg()
  .withExif({ IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '53/1 20/1 0/1' } })
  .toBuffer()
  .then((jpeg) => Buffer.concat([jpeg, Buffer.alloc(1_200_000)]));
const PLACE = /Exif/;

const FUNCTION = '**/functions/v1/submit-tip';
const UPLOAD = '**/storage/v1/upload/resumable/sign**';

async function write(page: Page, text: string): Promise<void> {
  await page.getByLabel(words.body).fill(text);
  await page
    .getByLabel(words.photo)
    .setInputFiles({ name: 'gate.jpg', mimeType: 'image/jpeg', buffer: await photo });
}
const press = (page: Page) => page.getByRole('button', { name: words.send }).click();

test('a tip goes out from under a coverage over a line that breaks, once, small and without its place', async ({
  newsroom,
  people,
  visit,
}) => {
  const { page, expectComplaint } = await visit();
  expectComplaint(/ERR_FAILED/);
  await page.goto(`/live/${newsroom.coverage.slug}`);
  await page.getByText(words.link, { exact: true }).first().click();
  await write(page, 'The lower gate is closed.');
  await page.reload();
  await page.getByText(words.link, { exact: true }).first().click();
  const text = page.getByLabel(words.body);
  await expect.poll(() => text.inputValue()).toBe('The lower gate is closed.');
  await write(page, 'The lower gate is open.');
  const ids: string[] = [];
  // It arrives, and its answer does not.
  await page.route(FUNCTION, async (route) => {
    ids.push(route.request().postDataJSON().id);
    if (ids.length === 1) await route.fetch();
    await (ids.length === 1 ? route.abort() : route.continue());
  });
  // Of the photo the first bytes, and then nothing of it for a while.
  let sent: Buffer = Buffer.alloc(0);
  let tries = 0;
  await page.route(UPLOAD, async (route) => {
    sent = route.request().postDataBuffer() ?? sent;
    tries += 1;
    await (tries === 1 ? route.abort() : route.continue());
  });
  await press(page);
  const online = () => page.evaluate(() => window.dispatchEvent(new Event('online')));
  await page.getByText(words.waitsHere).waitFor();
  await expectNoAxeFindings(page);
  await page.getByRole('button', { name: words.stop }).click();
  await expect.poll(() => text.evaluate((field) => field === document.activeElement)).toBe(true);
  expect(await text.isEditable()).toBe(true);
  await press(page);
  await page.getByText(words.photoWaitsHere).waitFor();
  await expectNoAxeFindings(page);
  await online();
  await page.getByText(words.photoReceived).waitFor();
  expect(new Set(ids).size).toBe(1);
  expect((await photo).toString('latin1')).toMatch(PLACE);
  expect(sent.length).toBeGreaterThan(1000);
  expect(sent.toString('latin1')).not.toMatch(PLACE);

  await page.getByRole('link', { name: words.receiptLink }).click();
  await page.getByText(words.receipt.states.new).waitFor();
  await expectNoAxeFindings(page);

  const { data } = await people.moderator.client
    .from('desk_tips')
    .select('body, photo')
    .eq('coverage_id', newsroom.coverage.id);
  expect(data).toMatchObject([{ body: 'The lower gate is open.', photo: { state: 'ready' } }]);
});

test('without a script nothing that was typed is lost, and the desk has tip and photo', async ({
  people,
  visit,
}) => {
  const { page, expectComplaint } = await visit({ javaScriptEnabled: false });
  expectComplaint(/422/);
  await page.goto('/tips');
  await page.getByLabel(words.name).fill('Ada');
  await write(page, 'x'.repeat(2001));
  await press(page);
  await page.getByText(words.problems.tooLong(2001, 2000)).waitFor();
  await page.getByText(words.photoAgain).waitFor();
  expect(await page.getByLabel(words.body).inputValue()).toHaveLength(2001);
  expect(await page.getByLabel(words.name).inputValue()).toBe('Ada');
  await write(page, 'Seen from\nthe bridge.');
  await press(page);
  await page.getByText(words.receipt.states.new).waitFor();

  const { page: desk } = await visit();
  await signIn(desk, people.moderator);
  await desk.getByRole('link', { name: words.desk.title, exact: true }).click();
  const row = desk.getByRole('listitem').filter({ hasText: 'the bridge.' });
  await row.getByText('From Ada.').waitFor();
  await expect
    .poll(() => row.getByRole('img').evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBe(480);
  await expectNoAxeFindings(desk);
});

test('a link comes into an update with what its page says, and without that when it says nothing', async ({
  newsroom,
  people,
  visit,
}) => {
  const { page, expectComplaint } = await visit();
  expectComplaint(/503/);
  await signIn(page, people.reporter);
  await page.goto(`/desk/${newsroom.coverage.slug}`);
  await page.route('**/functions/v1/unfurl-link', (route) => {
    const { url } = route.request().postDataJSON();
    return url.includes('inside')
      ? route.fulfill({
          status: 503,
          json: { code: 'unavailable', message: 'The page does not answer.' },
        })
      : route.fulfill({ json: { url, title: 'The river rises', site: 'The council' } });
  });
  const composer = page.getByRole('region', { name: 'New update' });
  await composer.getByLabel('What happened').fill('The council has written:');
  await composer.locator('summary').getByText(deskLinks.title, { exact: true }).click();
  const address = composer.getByLabel(deskLinks.address);
  await address.fill('council.example/gates');
  await address.press('Enter');
  await composer.getByRole('link', { name: 'The river rises' }).waitFor();
  await address.fill('https://inside.example/');
  await composer.getByRole('button', { name: deskLinks.add, exact: true }).click();
  await composer.locator('.problem').getByText(deskLinks.offline).waitFor();
  await expectNoAxeFindings(page);
  await composer.getByRole('button', { name: deskLinks.addPlain }).click();
  await composer.getByText(deskLinks.addedPlain).waitFor();
  await composer.getByRole('button', { name: 'Publish' }).click();
  await page.getByText('Published as number 1.').waitFor();

  await page.goto(`/live/${newsroom.coverage.slug}`);
  const links = page.locator('.link-block');
  await expect
    .poll(() => links.allInnerTexts())
    .toEqual([
      expect.stringMatching(/The river rises\s+The council/),
      expect.stringMatching(/inside\.example\s+inside\.example/),
    ]);
});
