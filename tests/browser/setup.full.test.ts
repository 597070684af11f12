import { expect } from 'vitest';
import { accounts } from '../../src/lib/i18n/en/accounts.ts';
import { reader } from '../../src/lib/i18n/en/reader.ts';
import { newsroomSettings, setup as words } from '../../src/lib/i18n/en/settings.ts';
import { test as base, expectNoAxeFindings } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';

const test = base.extend('ownSite', true);

test('creates the first owner with the printed code, after a mistyped one', async ({ site, visit }) => {
  const code = await eventually(() => {
    const [, printed] = /with the code (\S+)/.exec(site.output()) ?? [];
    expect(printed).toBeDefined();
    return printed as string;
  });
  const { page, expectError } = await visit();
  expectError(/403/);
  await page.goto('/setup');
  await expectNoAxeFindings(page);

  await page.getByLabel(words.siteName).fill('The Courier');
  const { timeZone } = await page.evaluate(() => new Intl.DateTimeFormat().resolvedOptions());
  expect(await page.getByLabel(newsroomSettings.timeZone).inputValue()).toBe(timeZone);
  await page.getByLabel(words.code).fill(code.replace(/.$/, (last) => (last === '0' ? '1' : '0')));
  await page.getByLabel(accounts.fields.name, { exact: true }).fill('Marian Askew');
  await page.getByLabel(accounts.fields.email).fill('marian@example.com');
  await page.getByLabel(accounts.fields.password).fill('correct horse battery');
  await page.getByRole('button', { name: words.submit }).click();
  await page.getByText(words.problems.code).waitFor();
  await expectNoAxeFindings(page);

  await page.getByLabel(words.code).fill(code);
  await page.getByLabel(accounts.fields.password).fill('correct horse battery');
  await page.getByRole('button', { name: words.submit }).click();
  await page.getByRole('link', { name: 'Marian Askew, owner' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/desk');
  await page.getByRole('heading', { name: words.checklist.title }).waitFor();
  await expectNoAxeFindings(page);

  const accountLink = page.getByRole('link', { name: `${reader.signedIn} ${reader.account}`, exact: true });
  await page.goto('/');
  await accountLink.waitFor();
  await page.goto('/desk');
  await page.getByRole('button', { name: accounts.signOut }).click();
  await page.waitForURL((url) => url.pathname !== '/desk');
  await page.goto('/');
  await page.getByRole('link', { name: reader.alerts, exact: true }).waitFor();
  expect(await accountLink.isVisible()).toBe(false);
});
