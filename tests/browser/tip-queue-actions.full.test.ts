import { expect } from 'vitest';
import { tipQueue as words } from '../../src/lib/i18n/en/tip-queue.ts';
import { expectNoAxeFindings } from '../support/browser.ts';
import { loseResponse } from '../support/desk-page.ts';
import { call } from '../support/newsroom.ts';
import { sendTip, sendTipWithPhoto } from '../support/tips.ts';
import { focused, storedTip, test } from './tip-queue-context.ts';

test('turns a tip with its photo into a submitted update once, despite a reload and a lost response', async ({
  site,
  newsroom,
  people,
  bea,
  openQueue,
}) => {
  const { slug } = newsroom.coverage;
  const { id, photo } = await sendTipWithPhoto(site, {
    body: 'Water is on Quay Street.\nI took this from the bridge.',
    coverage: slug,
    name: 'Ada',
    may_be_named: true,
  });
  const { page, row, press, expectError } = await openQueue(people.moderator);
  expectError(/ERR_CONNECTION_RESET|409/);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  const tip = row('Quay Street');
  await press(tip, 'use');
  // A photo can be used only after it was shown, and it loads only on request.
  expect(await tip.getByLabel(words.use.photo).isEnabled()).toBe(false);
  expect(requests.filter((url) => url.includes(photo))).toEqual([]);
  await tip.getByText(words.photo.show).click();
  await tip.getByLabel(words.use.photo).check();
  await tip.getByRole('button', { name: words.use.send }).click();
  await tip.getByText(words.use.problems.alt).waitFor();
  await expectNoAxeFindings(page);
  await tip.getByLabel(words.use.alt).fill('Water in front of a bakery');
  await tip.getByLabel(words.use.quote).fill('Water is on Quay Street.');
  await tip.getByLabel(words.use.intro).fill('A reader writes from the bridge:');

  // After a reload the typed text is back, and the photo has to be shown again.
  await page.reload();
  await page.getByText(words.connection.hears('').trim()).waitFor();
  await press(tip, 'use');
  await expect.poll(() => tip.getByLabel(words.use.quote).inputValue()).toBe('Water is on Quay Street.');
  await tip.getByRole('button', { name: words.use.send }).click();
  await tip.locator('.problem').getByText(words.use.photoUnseen).waitFor();
  await tip.getByText(words.photo.show).click();
  await expect.poll(() => tip.getByText(words.use.photoUnseen).count()).toBe(0);

  // Another moderator takes the tip: the typed text stays.
  const { version } = (await storedTip(people, id)) as { version: number };
  await call(bea.client, 'review_tip', { tip_id: id, version });
  await tip.getByText('with Bea Quist since').waitFor();
  await tip.getByRole('button', { name: words.use.send }).click();
  await tip.getByText(words.refused.assignedElsewhere('Bea Quist')).waitFor();
  expect(await tip.getByLabel(words.use.intro).inputValue()).toBe('A reader writes from the bridge:');
  await tip.getByRole('button', { name: /^Take over/ }).click();
  await tip.getByText('with you since').waitFor();

  // The response is lost, but the result appears.
  await loseResponse(page, 'use_tip');
  await tip.getByRole('button', { name: words.use.send }).click();
  await page.getByRole('link', { name: words.itsDesk }).click();
  const update = page.locator('.desk-row', { hasText: 'A reader writes' });
  await update.getByText('Submitted', { exact: true }).waitFor();
  expect(await update.innerText()).toMatch(/Water is on Quay Street\.\s+Ada/);
  expect(await update.getByRole('img').getAttribute('alt')).toBe('Water in front of a bakery');
  // Browsers may match :target only after the page was laid out.
  await expect.poll(() => update.evaluate((row) => row === document.querySelector(':target'))).toBe(true);
  const { data } = await site.service
    .from('updates')
    .select('state, body')
    .eq('coverage_id', newsroom.coverage.id);
  expect(data).toMatchObject([
    {
      state: 'submitted',
      body: [
        { type: 'paragraph' },
        { type: 'quote', text: 'Water is on Quay Street.', attribution: 'Ada' },
        { type: 'photo', photo },
      ],
    },
  ]);
  expect(await storedTip(people, id)).toMatchObject({ state: 'used', used_in: { coverage_slug: slug } });
});

test('keeps the words that were typed while the response to an earlier version was lost', async ({
  site,
  newsroom,
  people,
  openQueue,
}) => {
  await sendTip(site, { body: 'The weir is open.', coverage: newsroom.coverage.slug });
  const { page, row, press, expectError } = await openQueue(people.moderator);
  expectError(/ERR_CONNECTION_RESET|409/);
  const tip = row('The weir');
  await press(tip, 'use');
  await tip.getByLabel(words.use.intro).fill('A reader writes:');
  let isLost = false;
  const typed = Promise.withResolvers<void>();
  await page.route('**/rpc/use_tip', async (route) => {
    const response = await route.fetch();
    await typed.promise;
    if (isLost) return route.fulfill({ response });
    isLost = true;
    await route.abort('connectionreset');
  });
  await tip.getByRole('button', { name: words.use.send }).click();
  await tip.getByRole('link', { name: words.used.draft }).waitFor();
  await tip.getByLabel(words.use.intro).fill('A reader writes from the weir:');
  typed.resolve();

  await tip.getByText(words.use.madeEarlier).waitFor();
  expect(await tip.getByLabel(words.use.intro).inputValue()).toBe('A reader writes from the weir:');
  expect(await page.getByRole('status').allInnerTexts()).not.toContain(words.said.use);
  // After the earlier update is discarded, the kept text makes another one.
  await tip.getByRole('button', { name: words.use.send }).click();
  await tip.getByRole('button', { name: new RegExp(`^${words.acts.reopen}`) }).click();
  await tip.getByText('with you since').waitFor();
  await tip.getByRole('button', { name: words.use.send }).click();
  await page.getByRole('link', { name: words.itsDesk }).click();
  await page.locator('.desk-row:target', { hasText: 'A reader writes from the weir:' }).waitFor();
});

test('reopens a closed tip with one click, moves the focus on, and releases held tips', async ({
  site,
  newsroom,
  people,
  openQueue,
}) => {
  const coverage = newsroom.coverage.slug;
  const first = await sendTip(site, { body: 'A boat is loose.', coverage });
  await sendTip(site, { body: 'Cheap watches.', coverage, website: 'x' });
  await sendTip(site, { body: 'The bridge shakes.', coverage });
  const { page, row, press } = await openQueue(people.moderator, `/desk/tips?coverage=${coverage}`);
  expect(await page.locator('.tip-row').count()).toBe(2);
  // By keyboard only.
  await page.keyboard.press('j');
  expect(await focused(page)).toContain('The bridge shakes.');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await page.keyboard.press('d');
  await row('bridge shakes').waitFor({ state: 'detached' });
  await expect.poll(() => focused(page)).toContain('A boat is loose.');
  await expect.poll(() => page.getByRole('status').allInnerTexts()).toContain(words.said.decline);
  await page.getByRole('button', { name: /^Undo/ }).click();
  await row('bridge shakes').getByText('with you since').waitFor();
  await expect.poll(() => focused(page)).toContain('The bridge shakes.');

  // Later it is reopened from the view that lists it.
  await press(row('A boat'), 'spam');
  await row('A boat').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: /^Spam/ }).click();
  await press(row('A boat'), 'reopen');
  await row('A boat').waitFor({ state: 'detached' });
  await page.getByText(words.none.spam).waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toBe('tip-queue');
  expect(await storedTip(people, first)).toMatchObject({ state: 'in_review' });

  await page.getByRole('link', { name: /^Held/ }).click();
  expect(page.url()).toContain('view=held');
  await row('watches').getByText(words.held.honeypot).waitFor();
  await expectNoAxeFindings(page);
  await press(row('watches'), 'release');
  await page.getByText(words.none.held).waitFor();
  await page.getByRole('link', { name: /^Open/ }).click();
  await row('watches').waitFor();

  await page.getByLabel(words.search).fill('boat');
  await row('watches').waitFor({ state: 'detached' });
  await row('A boat').waitFor();
  await page.reload();
  await row('A boat').waitFor();
  expect(await page.locator('.tip-row').count()).toBe(1);
  // The address of a tip shows this tip alone, in any view.
  await page.goto('about:blank');
  await page.goto(`/desk/tips?view=spam#${first}`);
  await page.getByText(words.only).waitFor();
  await row('A boat').waitFor();
});
