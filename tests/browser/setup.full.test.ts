import { expect } from 'vitest';
import { accounts } from '../../src/lib/i18n/en/accounts.ts';
import { composer } from '../../src/lib/i18n/en/composer.ts';
import { desk, running } from '../../src/lib/i18n/en/desk.ts';
import { reader } from '../../src/lib/i18n/en/reader.ts';
import { newsroomSettings, setup as words } from '../../src/lib/i18n/en/settings.ts';
import { test as base, expectNoAxeFindings, expectToFit, PHONE } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';

const test = base.extend('ownSite', true);

/** Presses of buttons and links. Besides, a person fills in six fields, and writes a headline and an update. */
const PRESSES = 6;

test('leads from the printed code to the first published update on a phone', async ({ site, visit }) => {
  const code = await eventually(() => {
    const [, printed] = /with the code (\S+)/.exec(site.output()) ?? [];
    expect(printed).toBeDefined();
    return printed as string;
  });
  const { page, expectError } = await visit({ viewport: PHONE });
  // The desk may request a token while the person signs out.
  expectError(/403|401 .*\/api\/token/);
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
  await expectToFit(page, 'checklist');

  let presses = 1; // The button of the setup.
  const press = async (role: 'button' | 'link', name: string) => {
    await page.getByRole(role, { name }).first().click();
    presses++;
  };
  await press('link', words.checklist.steps.coverage);
  await page.getByLabel(desk.make.headline).fill('Storm over the valley');
  await press('button', desk.make.submit);
  await page.waitForFunction(() => !document.querySelector('astro-island[ssr]:not(details *)'));
  await press('button', desk.coverage.moves.draft.live);
  await page.getByRole('button', { name: running.menu(desk.states.live) }).waitFor();
  await press('button', composer.placeholder);
  await page.getByLabel(composer.body).fill('The bridge is closed. Go round by Church Hill.');
  await press('button', desk.saving.publish);
  await page.getByText(desk.status.sent.published(1)).first().waitFor();
  expect(presses).toBe(PRESSES);
  await page.goto('/live/storm-over-the-valley');
  await page.getByText('The bridge is closed.').first().waitFor();

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
