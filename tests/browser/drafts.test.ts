import type { Route } from 'playwright-core';
import { expect } from 'vitest';
import { accounts } from '../../src/lib/i18n/en/accounts.ts';
import { composer as composing, outbox } from '../../src/lib/i18n/en/composer.ts';
import { desk as words } from '../../src/lib/i18n/en/desk.ts';
import { goToDesk, readStoredUpdates, test, textOf } from '../support/desk-page.ts';
import type { Newsroom } from '../support/newsroom.ts';
import { signIn } from '../support/sign-in.ts';
import type { TestSite } from '../support/site.ts';

/** Text, state and version of each update of a coverage. */
const storedUpdates = async (site: TestSite, newsroom: Newsroom) =>
  (await readStoredUpdates(site, newsroom)).map((update) => [textOf(update), update.state, update.version]);

test('stores the texts of two tabs separately', async ({ newsroom, openDesk }) => {
  const one = await openDesk('reporter');
  const first = one.page;
  const second = await first.context().newPage();
  const other = await goToDesk(second, newsroom);
  await one.box.fill('Words of the first tab');
  await other.box.fill('Words of the second tab');

  await goToDesk(first, newsroom);
  await expect.poll(() => one.box.inputValue()).toBe('Words of the first tab');
  await one.box.press('Control+Enter');
  await one.composer.getByText(words.status.sent.published(1)).waitFor();
  await goToDesk(second, newsroom);
  await expect.poll(() => other.box.inputValue()).toBe('Words of the second tab');
});

test('turns a draft that another tab published into a change, and keeps its text', async ({
  site,
  newsroom,
  openDesk,
}) => {
  const one = await openDesk('reporter');
  const first = one.page;
  one.expectError(/409/);
  await one.box.fill('Begun');
  const second = await first.context().newPage();
  const other = await goToDesk(second, newsroom);
  await expect.poll(() => other.box.inputValue()).toBe('Begun');
  await one.box.press('Control+Enter');
  await one.composer.getByText(words.status.sent.published(1)).waitFor();
  expect(await other.box.inputValue()).toBe('Begun');
  await other.box.fill('Begun, and gone on with');
  await goToDesk(second, newsroom);
  await expect.poll(() => other.box.inputValue()).toBe('Begun, and gone on with');
  await other.box.press('Control+Enter');
  const refused = second.locator('.outgoing-row[data-step="needs_you"]');
  await refused.getByRole('button', { name: outbox.open }).click();
  const change = refused.getByRole('button', { name: words.saving.change });
  const mine = refused.getByRole('button', { name: words.conflict.keepMine });
  // The draft may have been saved before or after the publication.
  await change.or(mine).first().waitFor();
  if (await mine.count()) await mine.click();
  await change.click();
  await second.getByText(words.status.sent.changed).waitFor();
  expect((await storedUpdates(site, newsroom)).map(([text, state]) => [text, state])).toEqual([
    ['Begun, and gone on with', 'published'],
  ]);
});

test('saves a draft automatically, and spikes it when its text is cleared', async ({
  site,
  newsroom,
  openDesk,
}) => {
  const { page, composer, box } = await openDesk('reporter');
  await box.fill('Half a thought');
  await expect.poll(() => storedUpdates(site, newsroom)).toEqual([['Half a thought', 'draft', 1]]);
  await box.fill('Half a thought more');
  await expect.poll(() => storedUpdates(site, newsroom)).toEqual([['Half a thought more', 'draft', 2]]);
  expect(await page.locator('.desk-row').count()).toBe(0);
  await goToDesk(page, newsroom);
  await expect.poll(() => box.inputValue()).toBe('Half a thought more');
  await composer.getByRole('button', { name: composing.clear }).click();
  await expect
    .poll(async () => (await storedUpdates(site, newsroom)).map(([, state]) => state))
    .toEqual(['spiked']);
});

test('asks about unsent commands on sign-out, and restores them after the next sign-in', async ({
  site,
  newsroom,
  openDesk,
}) => {
  const { page, box, expectError } = await openDesk('reporter');
  expectError(/ERR_FAILED|401|409/);
  // One route for all answers: to remove a route at a navigation can leave a request without an answer.
  let answer: (route: Route) => Promise<void> = (route) => route.abort();
  await page.route('**/rpc/publish_update', (route) => answer(route));
  await box.fill('Before I go');
  await box.press('Control+Enter');
  await page.locator('.outgoing-row[data-step="on_device"]').waitFor();
  const signOut = page.locator('.desk-head').getByRole('button', { name: accounts.signOut });
  await signOut.click();
  await page.getByRole('button', { name: outbox.signOut.stay }).click();
  expect(await signOut.evaluate((button) => button === document.activeElement), 'the button has focus').toBe(
    true,
  );
  await signOut.click();
  // A refused command is not retried automatically, so signing out does not wait for it.
  answer = (route) =>
    route.fulfill({ status: 409, json: { code: 'PT409', message: 'bad_state', hint: null, details: null } });
  await page.getByRole('button', { name: outbox.signOut.send }).click();
  await page.getByText(outbox.signOut.needsYou).waitFor();
  await page.getByRole('button', { name: outbox.signOut.stay }).click();
  answer = (route) => route.abort();
  await page.locator('.outgoing-row').getByRole('button', { name: outbox.again }).click();
  await signOut.click();
  await page.getByRole('button', { name: outbox.signOut.keep }).click();
  await page.waitForURL((url) => url.pathname === '/');
  answer = (route) => route.fallback();
  expect(await storedUpdates(site, newsroom)).toEqual([]);
  await signIn(page, newsroom.people.reporter);
  await goToDesk(page, newsroom);
  const sent = page.locator('.outgoing-row[data-step="live"]').getByText('Before I go');
  await sent.waitFor({ timeout: 60_000 });
  await signOut.click();
  await page.waitForURL((url) => url.pathname === '/');
});

test('says so when a script of the desk did not arrive, and works after a reload', async ({
  newsroom,
  openDesk,
}) => {
  const { page, expectError } = await openDesk('reporter');
  expectError(/ERR_FAILED|hydrating/);
  let isBroken = true;
  await page.route(/_astro\/UpdateComposer/, (route) => (isBroken ? route.abort() : route.fallback()));
  await page.goto(`/desk/${newsroom.coverage.slug}`);
  const notice = page.getByRole('alert').getByRole('link', { name: words.notLoaded });
  await notice.waitFor();
  isBroken = false;
  await notice.click();
  await page.locator('.open-composer > button:enabled').first().waitFor({ state: 'attached' });
  expect(await notice.count()).toBe(0);
});

test('opens the composer where storage does not answer, says that text is not kept, and publishes', async ({
  site,
  newsroom,
  openDesk,
}) => {
  const { page, composer, box } = await openDesk('reporter');
  await page.addInitScript(() => {
    IDBFactory.prototype.open = () => new EventTarget() as IDBOpenDBRequest;
  });
  await goToDesk(page, newsroom);
  await box.fill('On this page alone');
  await composer.getByText(words.status.notKept).waitFor();
  await box.press('Control+Enter');
  await composer.getByText(words.status.sent.published(1)).waitFor();
  expect(await storedUpdates(site, newsroom)).toEqual([['On this page alone', 'published', 1]]);
});

test('warns when storage is full, and still publishes', async ({ site, newsroom, openDesk }) => {
  const { page, composer, box } = await openDesk('reporter');
  await page.evaluate(() => {
    IDBObjectStore.prototype.put = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
  });
  await box.fill('On this page alone');
  await composer.getByText(words.status.notKept).waitFor();
  await box.press('Control+Enter');
  await composer.getByText(words.status.sent.published(1)).waitFor();
  expect(await composer.getByText(words.status.notKept).count()).toBe(0);
  expect(await storedUpdates(site, newsroom)).toEqual([['On this page alone', 'published', 1]]);
});
