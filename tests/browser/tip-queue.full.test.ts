import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { tipQueue as words } from '../../src/lib/i18n/en/tip-queue.ts';
import { expectNoAxeFindings, expectToFit } from '../support/browser.ts';
import { call } from '../support/newsroom.ts';
import { signIn } from '../support/sign-in.ts';
import { sendTip } from '../support/tips.ts';
import { storedTip, test } from './tip-queue-context.ts';

test('shows new tips at once, lets one moderator take a tip, and passes it on', async ({
  site,
  newsroom,
  people,
  bea,
  openQueue,
}) => {
  const { slug } = newsroom.coverage;
  // Files that share the site have moderators and tips of their own.
  const name = `M${randomUUID().slice(0, 8)}`;
  const gate = `gate ${randomUUID().slice(0, 8)}`;
  await call(people.moderator.client, 'save_me', { content: { display_name: name } });
  const first = await openQueue(people.moderator);
  const second = await openQueue(bea);
  second.expectError(/409/);
  await first.page.getByText('Here: Bea Quist').waitFor();
  const id = await sendTip(site, { body: `The ${gate} is open.`, coverage: slug });
  await first.row(gate).waitFor();
  await second.row(gate).waitFor();

  // Both take the tip at once, before the second screen shows the first one's action.
  await second.page.route('**/rpc/review_tip', async (route) => {
    await first.press(first.row(gate), 'take');
    await first.row(gate).getByText('with you since').waitFor();
    await route.continue();
  });
  await second.press(second.row(gate), 'take');
  const refusal = second.row(gate).locator('.refused');
  await refusal.waitFor();
  expect(await refusal.innerText()).toMatch(/ has this tip now\. Nothing was changed\./);
  // The row follows when the queue is read again.
  await expect.poll(() => second.row(gate).innerText()).toMatch(/with \w+ since \d\d:\d\d/);
  expect(await storedTip(people, id)).toMatchObject({ assigned: { id: people.moderator.id } });
  await expectNoAxeFindings(second.page);

  // Taking over is a separate action and shows on the other screen.
  await second.page.unroute('**/rpc/review_tip');
  await second.press(second.row(gate), 'takeOver');
  await first.row(gate).getByText('with Bea Quist since').waitFor();
  expect(await first.row(gate).getByRole('button').allInnerTexts()).toEqual([words.acts.takeOver]);

  await second.press(second.row(gate), 'handOver');
  await second.row(gate).getByRole('button', { name: words.handOver.queue }).click();
  await first.row(gate).getByText(words.states.new, { exact: true }).waitFor();
  await second.press(second.row(gate), 'take');
  await first.row(gate).getByText('with Bea Quist since').waitFor();
  await second.press(second.row(gate), 'handOver');
  await expectNoAxeFindings(second.page);
  await second
    .row(gate)
    .getByRole('button', { name: new RegExp(`^${name}`) })
    .click();
  await first.row(gate).getByText('with you since').waitFor();
  expect(await storedTip(people, id)).toMatchObject({
    state: 'in_review',
    assigned: { id: people.moderator.id },
  });
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
  await expectToFit(page);
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
