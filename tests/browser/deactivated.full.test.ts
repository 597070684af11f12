import { expect } from 'vitest';
import { accounts } from '../../src/lib/i18n/en/accounts.ts';
import { outbox } from '../../src/lib/i18n/en/composer.ts';
import { desk as words } from '../../src/lib/i18n/en/desk.ts';
import { goToDesk, readStoredUpdates, test, textOf } from '../support/desk-page.ts';
import { call } from '../support/newsroom.ts';
import { signIn } from '../support/sign-in.ts';

test('stops an open desk when its person is deactivated, and sends the queued commands after activation', async ({
  site,
  newsroom,
  openDesk,
}) => {
  const { reporter, owner } = newsroom.people;
  const setActive = (active: boolean) => call(owner.client, 'set_active', { person_id: reporter.id, active });
  const { page, box, row, expectError } = await openDesk('reporter');
  expectError(/40[13]/);
  await box.fill('Written before I knew');
  await setActive(false);

  await box.press('Control+Enter');
  const outgoing = page.locator('.outgoing');
  await outgoing.getByText(outbox.holdUps.session).waitFor();
  await outgoing.getByText('Written before I knew').waitFor();
  expect(await readStoredUpdates(site, newsroom)).toEqual([]);
  await page.goto(`${site.url}/desk/${newsroom.coverage.slug}`);
  await page.getByLabel(accounts.fields.email).fill(reporter.email);
  await page.getByLabel(accounts.fields.password, { exact: true }).fill(reporter.password);
  await page.getByRole('button', { name: accounts.signIn, exact: true }).click();
  await page.getByText(accounts.problems.closed).waitFor();

  await setActive(true);
  await signIn(page, reporter);
  await goToDesk(page, newsroom);
  await row('Written before I knew').getByText(words.updateStates.published).waitFor();
  expect((await readStoredUpdates(site, newsroom)).map(textOf)).toEqual(['Written before I knew']);
});
