import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TipActionName } from '../../src/lib/domain/tips.ts';
import { tipQueue as words } from '../../src/lib/i18n/en/tip-queue.ts';
import { test as base, expectNoAxeFindings } from '../support/browser.ts';
import { loseResponse } from '../support/desk-page.ts';
import { call, callServer, createUser, type Newsroom, type Person } from '../support/newsroom.ts';
import { signIn } from '../support/sign-in.ts';
import { sendTip, sendTipWithPhoto } from '../support/tips.ts';

/** An open tip queue. */
type Screen = {
  page: Page;
  row(text: string): Locator;
  /** Clicks an action of a row. */
  press(row: Locator, act: TipActionName): Promise<void>;
  expectError(words: RegExp): void;
};

const test = base
  // A second moderator, named Bea.
  .extend('bea', { scope: 'file' }, async ({ site }) => {
    const bea = await createUser(site, 'moderator');
    await call(bea.client, 'save_me', { content: { display_name: 'Bea Quist' } });
    return bea;
  })
  .extend('openQueue', ({ visit }) => async (person: Person, path = '/desk/tips'): Promise<Screen> => {
    const { page, expectError } = await visit();
    await signIn(page, person);
    await page.goto(path);
    await page.getByText(/^Tips come by themselves/).waitFor();
    return {
      page,
      expectError,
      row: (text) => page.locator('.tip-row', { hasText: text }),
      press: (row, act) => row.getByRole('button', { name: new RegExp(`^${words.acts[act]}:`) }).click(),
    };
  });

/** The tip as the database stores it. */
async function storedTip(people: Newsroom['people'], id: string) {
  const filters = { ids: [id], view: 'all' };
  const [tip] = await callServer<Record<string, unknown>[]>(people.owner.client, 'tip_queue', {
    filters,
  });
  return tip;
}

/** Accessible name of the focused row. */
const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');

test('shows new tips at once, lets one moderator take a tip, and passes it on', async ({
  site,
  newsroom,
  people,
  bea,
  openQueue,
}) => {
  const { slug } = newsroom.coverage;
  const first = await openQueue(people.moderator);
  const second = await openQueue(bea);
  second.expectError(/409/);
  await first.page.getByText('Here: Bea Quist').waitFor();
  const id = await sendTip(site, { body: 'The lower gate is open.', coverage: slug });
  await first.row('lower gate').waitFor();
  await second.row('lower gate').waitFor();

  // Both take the tip at once, before the second screen shows the first one's action.
  await second.page.route('**/rpc/review_tip', async (route) => {
    await first.press(first.row('lower gate'), 'take');
    await first.row('lower gate').getByText('with you since').waitFor();
    await route.continue();
  });
  await second.press(second.row('lower gate'), 'take');
  const refusal = second.row('lower gate').locator('.refused');
  await refusal.waitFor();
  expect(await refusal.innerText()).toMatch(/ has this tip now\. Nothing was changed\./);
  expect(await second.row('lower gate').innerText()).toMatch(/with \w+ since \d\d:\d\d UTC/);
  expect(await storedTip(people, id)).toMatchObject({ assigned: { id: people.moderator.id } });
  await expectNoAxeFindings(second.page);

  // Taking over is a separate action and shows on the other screen.
  await second.page.unroute('**/rpc/review_tip');
  await second.press(second.row('lower gate'), 'takeOver');
  await first.row('lower gate').getByText('with Bea Quist since').waitFor();
  expect(await first.row('lower gate').getByRole('button').allInnerTexts()).toEqual([words.acts.takeOver]);

  await second.press(second.row('lower gate'), 'handOver');
  await second.row('lower gate').getByRole('button', { name: words.handOver.queue }).click();
  await first.row('lower gate').getByText(words.states.new, { exact: true }).waitFor();
  await second.press(second.row('lower gate'), 'take');
  await first.row('lower gate').getByText('with Bea Quist since').waitFor();
  await second.press(second.row('lower gate'), 'handOver');
  await expectNoAxeFindings(second.page);
  await second.row('lower gate').locator('.tip-choices button').nth(1).waitFor();
  const name = second
    .row('lower gate')
    .getByRole('button', { name: /moderator/ })
    .first();
  await name.click();
  await first.row('lower gate').getByText('with you since').waitFor();
  expect(await storedTip(people, id)).toMatchObject({
    state: 'in_review',
    assigned: { id: people.moderator.id },
  });
});

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
  await page.getByText(/^Tips come by themselves/).waitFor();
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

test("counts a coverage's tips on its desk as they arrive, and handles them in place", async ({
  site,
  newsroom,
  people,
  visit,
}) => {
  const { page } = await visit();
  await signIn(page, people.editor);
  const scripts: string[] = [];
  page.on('request', (request) => scripts.push(request.url()));
  await page.goto(`/desk/${newsroom.coverage.slug}`);
  const tips = page.locator('.coverage-tips');
  await tips.getByText('none open').waitFor();
  await sendTip(site, { body: 'The weir is blocked.', coverage: newsroom.coverage.slug });
  await tips.getByText('1 open').waitFor();
  expect(scripts.filter((url) => /CoverageQueue/.test(url))).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 900 });
  const list = page.locator('.desk-list');
  const before = await list.boundingBox();
  await tips.locator('summary').first().click();
  const row = tips.locator('.tip-row', { hasText: 'weir' });
  await row.getByRole('button', { name: /^Take/ }).click();
  await row.getByText('with you since').waitFor();
  expect(await list.boundingBox()).toEqual(before);
  await sendTip(site, { body: 'Elsewhere it rains.' });
  await sendTip(site, { body: 'The weir is free.', coverage: newsroom.coverage.slug });
  await tips.locator('.tip-row', { hasText: 'free' }).waitFor();
  expect(await tips.locator('.tip-row').count()).toBe(2);
  await expectNoAxeFindings(page);
  await page.setViewportSize({ width: 360, height: 740 });
  const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
  expect(scrollWidth).toBe(clientWidth);
});

test('has large controls on a phone, and a readable queue without script', async ({
  site,
  newsroom,
  people,
  openQueue,
  visit,
}) => {
  const coverage = newsroom.coverage.slug;
  await sendTip(site, { body: 'A tree is down.', coverage, name: 'Ada', contact: 'ada@example.org' });
  const { page, row, press } = await openQueue(people.moderator, `/desk/tips?coverage=${coverage}`);
  const small = () =>
    page
      .locator('.tip-acts button, .tip-views a, .tip-choices button, .tip-done button, .tip-sender a')
      .evaluateAll((all) =>
        all.flatMap((first) => {
          const { height, width } = first.getBoundingClientRect();
          return height < 44 || width < 44 ? [`${first.textContent} ${width} × ${height}`] : [];
        }),
      );
  expect(await small()).toEqual([]);
  await press(row('A tree'), 'take');
  await row('A tree').getByText('with you since').waitFor();
  await press(row('A tree'), 'handOver');
  await row('A tree').locator('.tip-choices button').nth(1).waitFor();
  expect(await small()).toEqual([]);
  await row('A tree')
    .getByRole('button', { name: /^Close/ })
    .click();
  await press(row('A tree'), 'decline');
  await page.getByRole('button', { name: /^Undo/ }).waitFor();
  expect(await small()).toEqual([]);

  const { page: plain } = await visit({ javaScriptEnabled: false });
  await signIn(plain, people.moderator);
  await plain.goto(`/desk/tips?coverage=${coverage}`);
  await plain.getByText(words.none.open).waitFor();
  await plain.getByRole('link', { name: words.views.declined }).click();
  await plain.getByText('A tree is down.').waitFor();
  expect(await plain.getByRole('link', { name: 'ada@example.org' }).getAttribute('href')).toBe(
    'mailto:ada@example.org',
  );
  await plain.getByLabel(words.search).fill('nobody says this');
  await plain.getByRole('button', { name: words.find }).click();
  await expect.poll(() => plain.locator('.tip-row').count()).toBe(0);
});
