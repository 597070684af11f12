import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { accounts } from '../../src/lib/i18n/en/accounts.ts';
import { test as base, expectNoAxeFindings } from '../support/browser.ts';
import { withMails } from '../support/test.ts';

const test = base.extend('environment', withMails);

const { byMail, link: words, reset, fields } = accounts;
const withoutScript = { javaScriptEnabled: false };

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

test('signs up with a code and signs in by a link without script, and sends no link as Referer', async ({
  visit,
  mails,
}) => {
  const { page, expectError } = await visit(withoutScript);
  const email = `${randomUUID()}@example.com`;
  await page.goto('/sign-up');
  await page.getByLabel(fields.name).fill('Ann');
  await page.getByLabel(fields.email).fill(email);
  await page.getByLabel(fields.password).fill('a good long one');
  await press(page, accounts.signUp);
  await title(page, byMail.title);
  const { code = '' } = await mails.next(email);
  await page.getByLabel(byMail.code).fill(`${code.slice(0, 4)} ${code.slice(4)}`);
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname === '/');
  await page.goto('/sign-in');
  await page.getByText(accounts.signedInAs('Ann')).waitFor();
  await press(page, accounts.signOut);

  await page.goto('/sign-in?next=/account');
  await page.getByLabel(fields.email).fill(email);
  await press(page, byMail.instead);
  await title(page, byMail.title);
  const { link } = await mails.next(email);
  const referers: string[] = [];
  page.on('request', (request) => referers.push(request.headers().referer ?? ''));
  await page.goto(link);
  await press(page, words.email.press);
  await page.waitForURL((url) => url.pathname === '/account');
  expect(referers.join()).not.toContain('token_hash');
  expectError(/410/);
  await page.goto(link);
  await press(page, words.email.press);
  await title(page, words.dead.title);
  await page.getByLabel(fields.email).fill(email);
});

test('replaces a forgotten password by a mailed link without script', async ({
  visit,
  mails,
  newAccount,
}) => {
  const { email } = await newAccount();
  const { page } = await visit(withoutScript);
  await page.goto('/sign-in');
  await page.getByRole('link', { name: reset.forgotten }).click();
  await page.getByLabel(fields.email).fill(email);
  await press(page, byMail.submit);
  await title(page, byMail.title);
  await page.goto((await mails.next(email)).link);
  await press(page, words.recovery.press);
  await page.getByLabel(reset.newPassword).fill('quite another battery');
  await press(page, reset.save);
  await page.waitForURL((url) => url.pathname === '/');
});

test('has no accessibility problems in the form for a code, also after a wrong code', async ({
  visit,
  newAccount,
}) => {
  const { email } = await newAccount();
  const { page, expectError } = await visit();
  expectError(/422/);
  await page.goto('/sign-in');
  await page.getByLabel(fields.email).fill(email);
  await press(page, byMail.instead);
  await title(page, byMail.title);
  await expectNoAxeFindings(page);
  await page.getByLabel(byMail.code).fill('1');
  await press(page, byMail.press['sign-in']);
  await page.getByText(accounts.problems.code).waitFor();
  await expectNoAxeFindings(page);
  expect(await page.getByLabel(byMail.code).getAttribute('aria-invalid')).toBe('true');
});
