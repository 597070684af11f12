import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { account, accounts } from '../../src/lib/i18n/en/accounts.ts';
import { invites, people as words } from '../../src/lib/i18n/en/people.ts';
import { test as base, expectNoAxeFindings, expectToFit } from '../support/browser.ts';
import { signIn } from '../support/sign-in.ts';

const test = base.extend('ownSite', true);

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

test('invites by link without script; the invited person works, edits the account and deletes it', async ({
  site,
  people,
  visit,
}) => {
  const { page: owner } = await visit({ javaScriptEnabled: false });
  await signIn(owner, people.owner);
  await owner.getByRole('link', { name: words.title, exact: true }).click();
  await owner.getByRole('link', { name: words.invite }).click();
  await owner.getByLabel(invites.form.name).fill('Nell Ashe');
  await owner.getByLabel(invites.form.email).fill('nell@example.com');
  await owner.getByLabel(invites.form.role).selectOption('editor');
  await press(owner, invites.form.byLink);
  await expectToFit(owner);
  const link = await owner.getByLabel(invites.link.label).inputValue();

  const { page: nell, expectError } = await visit({ javaScriptEnabled: false });
  expectError(/403/);
  await nell.goto(link);
  await expectToFit(nell);
  await nell.getByLabel(accounts.fields.password).fill('a password of my own');
  await press(nell, invites.opened.join);
  await nell.waitForURL('**/desk');

  await nell.getByRole('link', { name: 'Nell Ashe, editor' }).click();
  await nell.getByLabel(account.name.display_name).fill('Nell Ashe-Ferrer');
  await press(nell, account.name.save);
  await nell.getByRole('status').filter({ hasText: account.done.name }).waitFor();

  // The role is removed while the page is open.
  await owner.goto('/desk/people?q=nell@example.com');
  await owner.getByText(words.changeThis, { exact: true }).click();
  await owner.getByLabel(words.role).selectOption('reader');
  await press(owner, words.saveRole);
  await owner.getByRole('status').filter({ hasText: words.done.role }).waitFor();
  const refused = await nell.goto('/desk');
  expect(refused?.status()).toBe(403);

  await nell.goto('/account');
  await nell.getByRole('link', { name: account.leave.delete }).click();
  await nell.getByLabel(account.password.current).fill('a password of my own');
  await press(nell, account.deletion.confirm);
  await nell.getByRole('heading', { name: account.over.deleted.title }).waitFor();
  expect(await nell.context().cookies()).toEqual([]);
  expect(new URL(nell.url()).origin).toBe(site.url);
});

test('shows refusals at their fields without accessibility problems', async ({ people, visit }) => {
  const { page, expectError } = await visit();
  expectError(/422|409/);
  await signIn(page, people.owner);
  await page.goto('/account');
  await page.getByLabel(account.password.next).fill('short');
  await press(page, account.password.save);
  await page.getByText(accounts.problems.passwordShort(10)).waitFor();
  await expectNoAxeFindings(page);

  await page.goto('/desk/people');
  const row = page.locator(`#person-${people.owner.id}`);
  await row.getByText(words.changeThis, { exact: true }).click();
  await row.getByLabel(words.role).selectOption('reader');
  await row.getByRole('button', { name: words.saveRole }).click();
  await row.getByRole('alert').waitFor();
  await expectNoAxeFindings(page);
  await expectToFit(page);
});
