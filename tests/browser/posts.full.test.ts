import { expect } from 'vitest';
import { composer as composerWords, deskPosts } from '../../src/lib/i18n/en/composer.ts';
import { corrections } from '../../src/lib/i18n/en/corrections.ts';
import { desk as words } from '../../src/lib/i18n/en/desk.ts';
import { reader as readerWords } from '../../src/lib/i18n/en/reader.ts';
import { expectNoAxeFindings, PHONE } from '../support/browser.ts';
import { readStoredUpdates, test } from '../support/desk-page.ts';
import { openLivePage, watchLayoutShifts } from '../support/live-page.ts';

const POST = {
  url: 'https://social.example/@salma/1',
  author: 'سلمى',
  handle: '@salma@social.example',
  network: 'Mastodon',
  text: 'ارتفع النهر مترين.\n<script>alert(1)</script>',
  posted_at: '2026-11-28T13:58:10Z',
};

test('a post is quoted on a phone, appears on an open page, is checked, corrected and withdrawn', async ({
  site,
  newsroom,
  openDesk,
  visit,
}) => {
  await newsroom.publish();
  const live = `/live/${newsroom.coverage.slug}`;
  const { page: reader } = await visit({ viewport: PHONE });
  const otherHosts: string[] = [];
  reader.on('request', (request) => {
    if (!/^(?:https?|wss?):/.test(request.url())) return;
    if (new URL(request.url()).host !== new URL(site.url).host) otherHosts.push(request.url());
  });
  await reader.goto(live);
  const quoted = reader.locator('#updates blockquote');

  const { page, composer, box, row, expectError } = await openDesk('reporter', { viewport: PHONE });
  let isThere = true;
  expectError(/410/);
  await page.route('**/functions/v1/unfurl-link', (route) => {
    const { isPost } = route.request().postDataJSON();
    return isPost && isThere
      ? route.fulfill({ json: POST })
      : route.fulfill({ status: 410, json: { code: 'gone', message: 'gone', reason: 'post_gone' } });
  });
  await page.getByRole('button', { name: composerWords.placeholder }).click();
  await box.fill('From the bridge:');
  await composer.locator('summary').getByText(deskPosts.title, { exact: true }).click();
  const address = composer.getByLabel(deskPosts.address);
  await address.fill('social.example/@salma/1');
  await address.press('Enter');
  await composer.locator('blockquote').getByText(POST.author).waitFor();
  await expectNoAxeFindings(page);
  await composer.getByRole('button', { name: words.saving.publish }).click();
  await expect
    .poll(async () => (await readStoredUpdates(site, newsroom))[1]?.body[1])
    .toMatchObject({ type: 'post', ...POST });

  await quoted.getByText(POST.handle).waitFor();
  expect(await quoted.locator('p').allInnerTexts()).toEqual(POST.text.split('\n'));
  expect(await quoted.getByRole('link').getAttribute('href')).toBe(POST.url);
  await expectNoAxeFindings(reader);
  const { page: plain } = await visit({ viewport: PHONE, javaScriptEnabled: false });
  await plain.goto(live);
  expect(await plain.locator('#updates blockquote').innerText()).toBe(await quoted.innerText());

  const { page: fresh } = await visit({ viewport: PHONE });
  const shifts = await watchLayoutShifts(fresh);
  await openLivePage(fresh, newsroom.coverage.slug);
  await fresh.locator('#updates blockquote').getByText(POST.author).waitFor();
  expect(await shifts()).toEqual([]);

  await page.keyboard.press('Escape');
  const check = row('From the bridge').getByRole('button', { name: new RegExp(`^${deskPosts.check}`) });
  const before = (await readStoredUpdates(site, newsroom))[1]?.version;
  await check.click();
  await row('From the bridge').getByText(deskPosts.there).waitFor();
  expect(await readStoredUpdates(site, newsroom)).toMatchObject([{}, { version: before }]);
  isThere = false;
  await check.click();
  await quoted.getByText(readerWords.post.gone).waitFor();
  await row('From the bridge').getByText(readerWords.post.gone).waitFor();
  await expectNoAxeFindings(page);

  await row('From the bridge').locator('[data-action="edit"]').click();
  const panel = page.locator('.panel.full-screen');
  const text = panel.getByLabel(composerWords.body);
  await text.fill((await text.inputValue()).replace('مترين', 'ثلاثة أمتار'));
  await panel.getByLabel(words.change.correction).check();
  await panel.getByLabel(words.change.note).fill('Three metres, not two.');
  await panel.getByRole('button', { name: words.saving.change }).click();
  await quoted.getByText('ثلاثة أمتار').waitFor();
  expect((await readStoredUpdates(site, newsroom))[1]?.body[1]).toMatchObject({
    ...POST,
    text: 'ارتفع النهر ثلاثة أمتار.\n<script>alert(1)</script>',
    gone_at: expect.stringMatching(/Z$/),
  });
  await plain.goto(`${live}/2`);
  await plain.locator('ins', { hasText: 'ثلاثة' }).waitFor({ state: 'attached' });
  await plain.getByText(corrections.difference.gone).first().waitFor({ state: 'attached' });

  await row('From the bridge').locator('[data-action="withdraw"]').click();
  await page.getByLabel(words.withdraw.reason).fill('It was about another river.');
  await page.getByRole('button', { name: words.withdraw.confirm, exact: true }).click();
  await quoted.waitFor({ state: 'detached' });
  expect(otherHosts).toEqual([]);
});

test('a post of a network without a public interface is typed, and a person says that it is gone', async ({
  site,
  newsroom,
  openDesk,
}) => {
  const { page, composer, box, row } = await openDesk('editor');
  await box.fill('The council has written:');
  await composer.locator('summary').getByText(deskPosts.title, { exact: true }).click();
  await composer.getByLabel(deskPosts.address).fill('https://x.com/ostley/status/1541815603606036480');
  await composer.getByRole('button', { name: deskPosts.add, exact: true }).click();
  await composer.getByRole('button', { name: deskPosts.addTyped, exact: true }).click();
  await composer.locator('.problem').first().waitFor();
  await expectNoAxeFindings(page);
  await composer.getByLabel(deskPosts.author).fill('Ostley Council');
  await composer.getByLabel(deskPosts.handle).fill('ostley');
  await composer.getByLabel(deskPosts.text).fill('Take Mill Lane.');
  await composer.getByRole('button', { name: deskPosts.addTyped, exact: true }).click();
  await composer.locator('blockquote').getByText('Take Mill Lane.').waitFor();
  await composer.getByRole('button', { name: words.saving.publish, exact: true }).click();
  const stored = async () => (await readStoredUpdates(site, newsroom))[0]?.body[1];
  await expect.poll(stored).toMatchObject({
    type: 'post',
    author: 'Ostley Council',
    handle: '@ostley',
    network: 'X',
    text: 'Take Mill Lane.',
    posted_at: '2022-06-28T16:07:40Z',
  });

  const update = row('The council has written');
  const check = update.getByRole('button', { name: new RegExp(`^${deskPosts.check}`) });
  await check.click();
  await update.getByText(deskPosts.unknown).waitFor();
  expect(await update.getByRole('link', { name: deskPosts.open }).getAttribute('href')).toContain('x.com');
  await update.getByRole('button', { name: deskPosts.markGone }).click();
  await update.getByText(readerWords.post.gone).waitFor();
  expect(await stored()).toMatchObject({ text: 'Take Mill Lane.', gone_at: expect.stringMatching(/Z$/) });
  await expect.poll(() => check.evaluate((button) => button === document.activeElement)).toBe(true);
  await check.click();
  await update.getByRole('button', { name: deskPosts.markThere }).click();
  await expect.poll(stored).not.toHaveProperty('gone_at');
});
