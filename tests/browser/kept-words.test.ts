import { expect } from 'vitest';
import { desk as words } from '../../src/lib/text/desk.ts';
import { goToDesk, loseAnswer, stored, test, wordsOf } from '../support/desk-test.ts';
import type { Newsroom } from '../support/newsroom.ts';
import { signIn } from '../support/sign-in.ts';
import type { TestSite } from '../support/site.ts';

/** The updates of a coverage: the first words of each, its state and its version. */
const written = async (site: TestSite, newsroom: Newsroom) =>
  (await stored(site, newsroom)).map((update) => [wordsOf(update), update.state, update.version]);

test('two tabs write two updates, and neither takes the words of the other', async ({
  newsroom,
  openDesk,
}) => {
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

test('two tabs write one draft, and the one that goes out leaves the words of the other', async ({
  newsroom,
  openDesk,
}) => {
  const one = await openDesk('reporter');
  const first = one.page;
  await one.box.fill('Begun');
  const second = await first.context().newPage();
  const other = await goToDesk(second, newsroom);
  await expect.poll(() => other.box.inputValue()).toBe('Begun');
  await other.box.fill('Begun, and gone on with');
  await one.box.press('Control+Enter');
  await one.composer.getByText(words.status.sent.published(1)).waitFor();
  await goToDesk(second, newsroom);
  await expect.poll(() => other.box.inputValue()).toBe('Begun, and gone on with');
});

test('what waited for a session is not sent by itself once it was changed', async ({
  site,
  newsroom,
  openDesk,
}) => {
  const { page, composer, box, nextLook, outliveToken, expectComplaint } = await openDesk('reporter');
  expectComplaint(/401/);
  await page.context().clearCookies();
  await outliveToken();
  await box.fill('Pressed while signed out');
  await box.press('Control+Enter');
  await composer.getByText(words.status.signedOut).waitFor();
  await box.fill('Half a thou');

  const other = await page.context().newPage();
  await signIn(other, newsroom.people.reporter);
  await other.close();
  await nextLook();
  await page.getByText(words.connection.signedOut).waitFor({ state: 'detached' });
  await composer.getByRole('button', { name: words.saving.save }).click();
  await composer.getByText(words.status.sent.draft).waitFor();
  expect(await written(site, newsroom)).toEqual([['Half a thou', 'draft', 1]]);
});

test('words changed after a lost answer can still be saved after a reload', async ({
  site,
  newsroom,
  openDesk,
}) => {
  const { page, composer, box, expectComplaint } = await openDesk('reporter');
  expectComplaint(/ERR_CONNECTION_RESET|409/);
  await loseAnswer(page, 'publish_update');
  await box.fill('First words');
  await box.press('Control+Enter');
  await composer.locator('.refused').waitFor();
  await box.fill('Better words');
  await box.press('Control+Enter');
  await composer.getByText(words.status.already(1)).waitFor();
  await goToDesk(page, newsroom);
  await expect.poll(() => box.inputValue()).toBe('Better words');
  await box.press('Control+Enter');
  await composer.getByText(words.status.already(1)).waitFor();
  await composer.getByRole('button', { name: words.saving.change }).click();
  await composer.getByText(words.status.sent.changed).waitFor();
  expect(await written(site, newsroom)).toEqual([['Better words', 'published', 2]]);
});

test('a contributor whose answer to a submission is lost submits again, and it is one', async ({
  site,
  newsroom,
  openDesk,
}) => {
  const { page, composer, box, expectComplaint } = await openDesk('contributor');
  expectComplaint(/ERR_CONNECTION_RESET|409/);
  await loseAnswer(page, 'submit_update');
  await box.fill('From the pier');
  await box.press('Control+Enter');
  await composer.locator('.refused').waitFor();
  await box.press('Control+Enter');
  await composer.getByText(words.status.sent.submitted).waitFor();
  expect((await written(site, newsroom)).map(([text, state]) => [text, state])).toEqual([
    ['From the pier', 'submitted'],
  ]);
});

test('a state whose answer was lost can be entered again later', async ({ site, newsroom, openDesk }) => {
  const { page, nextLook, expectComplaint } = await openDesk('editor');
  expectComplaint(/ERR_CONNECTION_RESET/);
  const controls = page.locator('.controls');
  const press = (name: string) => controls.getByRole('button', { name, exact: true }).click();
  const state = (name: string) => controls.locator('b', { hasText: name }).waitFor();
  await loseAnswer(page, 'set_coverage_state');
  await press(words.coverage.moves.live.paused);
  await controls.locator('.refused').waitFor();
  await nextLook();
  await state(words.states.paused);
  await press(words.coverage.moves.paused.live);
  await state(words.states.live);
  await press(words.coverage.moves.live.paused);
  await state(words.states.paused);
  const { data } = await site.service
    .from('coverages')
    .select('state')
    .eq('id', newsroom.coverage.id)
    .single();
  expect(data).toEqual({ state: 'paused' });
});

test('a browser that keeps nothing says so, and publishes all the same', async ({
  site,
  newsroom,
  openDesk,
}) => {
  const { page, composer, box } = await openDesk('reporter');
  await page.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
  });
  await box.fill('On this page alone');
  await composer.getByText(words.status.notKept).waitFor();
  await box.press('Control+Enter');
  await composer.getByText(words.status.sent.published(1)).waitFor();
  expect(await composer.getByText(words.status.notKept).count()).toBe(0);
  expect(await written(site, newsroom)).toEqual([['On this page alone', 'published', 1]]);
});
