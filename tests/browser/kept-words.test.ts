import type { Page, Route } from 'playwright-core';
import { expect } from 'vitest';
import { desk as words } from '../../src/lib/text/desk.ts';
import { test } from '../support/browser.ts';
import type { Newsroom } from '../support/newsroom.ts';
import { signIn } from '../support/sign-in.ts';
import type { TestSite } from '../support/site.ts';

/** Longer than an access token lives. */
const OVER_AN_HOUR_MS = 3_700_000;
const LOOK_MS = 5_000;

async function openDesk(page: Page, { coverage }: Newsroom) {
  await page.goto(`/desk/${coverage.slug}`);
  await page.locator('.composer fieldset:not([disabled])').waitFor();
  const composer = page.locator('.composer');
  return { composer, box: composer.getByLabel(words.composer.body) };
}

/** Lets a call through to the newsroom, once, and loses its answer. */
async function loseAnswer(page: Page, action: string): Promise<void> {
  await page.route(
    `**/rpc/${action}`,
    async (route: Route) => {
      await route.fetch();
      await route.abort('connectionreset');
    },
    { times: 1 },
  );
}

/** The updates of a coverage: the first words of each, its state and its version. */
async function stored(site: TestSite, { coverage }: Newsroom) {
  const { data } = await site.service
    .from('updates')
    .select('*')
    .eq('coverage_id', coverage.id)
    .order('filed_at');
  return (data ?? []).map(({ body, state, version }) => [body[0]?.runs?.[0]?.text, state, version]);
}

test('two tabs write two updates, and neither takes the words of the other', async ({ newsroom, visit }) => {
  const { page: first } = await visit();
  await signIn(first, newsroom.people.reporter);
  const second = await first.context().newPage();
  const one = await openDesk(first, newsroom);
  const other = await openDesk(second, newsroom);
  await one.box.fill('Words of the first tab');
  await other.box.fill('Words of the second tab');

  await openDesk(first, newsroom);
  await expect.poll(() => one.box.inputValue()).toBe('Words of the first tab');
  await one.box.press('Control+Enter');
  await one.composer.getByText(words.status.sent.published(1)).waitFor();
  await openDesk(second, newsroom);
  await expect.poll(() => other.box.inputValue()).toBe('Words of the second tab');
});

test('two tabs write one draft, and the one that goes out leaves the words of the other', async ({
  newsroom,
  visit,
}) => {
  const { page: first } = await visit();
  await signIn(first, newsroom.people.reporter);
  const one = await openDesk(first, newsroom);
  await one.box.fill('Begun');
  const second = await first.context().newPage();
  const other = await openDesk(second, newsroom);
  await expect.poll(() => other.box.inputValue()).toBe('Begun');
  await other.box.fill('Begun, and gone on with');
  await one.box.press('Control+Enter');
  await one.composer.getByText(words.status.sent.published(1)).waitFor();
  await openDesk(second, newsroom);
  await expect.poll(() => other.box.inputValue()).toBe('Begun, and gone on with');
});

test('what waited for a session is not sent by itself once it was changed', async ({
  site,
  newsroom,
  visit,
}) => {
  const { page, expectComplaint } = await visit();
  expectComplaint(/401/);
  await signIn(page, newsroom.people.reporter);
  await page.clock.install();
  const { composer, box } = await openDesk(page, newsroom);
  await page.context().clearCookies();
  await page.clock.fastForward(OVER_AN_HOUR_MS);
  await box.fill('Pressed while signed out');
  await box.press('Control+Enter');
  await composer.getByText(words.status.signedOut).waitFor();
  await box.fill('Half a thou');

  const other = await page.context().newPage();
  await signIn(other, newsroom.people.reporter);
  await other.close();
  await page.clock.fastForward(LOOK_MS);
  await page.getByText(words.connection.signedOut).waitFor({ state: 'detached' });
  await composer.getByRole('button', { name: words.saving.save }).click();
  await composer.getByText(words.status.sent.draft).waitFor();
  expect(await stored(site, newsroom)).toEqual([['Half a thou', 'draft', 1]]);
});

test('words changed after a lost answer can still be saved after a reload', async ({
  site,
  newsroom,
  visit,
}) => {
  const { page, expectComplaint } = await visit();
  expectComplaint(/ERR_CONNECTION_RESET|409/);
  await signIn(page, newsroom.people.reporter);
  const { composer, box } = await openDesk(page, newsroom);
  await loseAnswer(page, 'publish_update');
  await box.fill('First words');
  await box.press('Control+Enter');
  await composer.locator('.refused').waitFor();
  await box.fill('Better words');
  await box.press('Control+Enter');
  await composer.getByText(words.status.already(1)).waitFor();
  await openDesk(page, newsroom);
  await expect.poll(() => box.inputValue()).toBe('Better words');
  await box.press('Control+Enter');
  await composer.getByText(words.status.already(1)).waitFor();
  await composer.getByRole('button', { name: words.saving.change }).click();
  await composer.getByText(words.status.sent.changed).waitFor();
  expect(await stored(site, newsroom)).toEqual([['Better words', 'published', 2]]);
});

test('a contributor whose answer to a submission is lost submits again, and it is one', async ({
  site,
  newsroom,
  visit,
}) => {
  const { page, expectComplaint } = await visit();
  expectComplaint(/ERR_CONNECTION_RESET|409/);
  await signIn(page, newsroom.people.contributor);
  const { composer, box } = await openDesk(page, newsroom);
  await loseAnswer(page, 'submit_update');
  await box.fill('From the pier');
  await box.press('Control+Enter');
  await composer.locator('.refused').waitFor();
  await box.press('Control+Enter');
  await composer.getByText(words.status.sent.submitted).waitFor();
  expect((await stored(site, newsroom)).map(([text, state]) => [text, state])).toEqual([
    ['From the pier', 'submitted'],
  ]);
});

test('a state whose answer was lost can be entered again later', async ({ site, newsroom, visit }) => {
  const { page, expectComplaint } = await visit();
  expectComplaint(/ERR_CONNECTION_RESET/);
  await signIn(page, newsroom.people.editor);
  await page.clock.install();
  await openDesk(page, newsroom);
  const controls = page.locator('.controls');
  const press = (name: string) => controls.getByRole('button', { name, exact: true }).click();
  const state = (name: string) => controls.locator('b', { hasText: name }).waitFor();
  await loseAnswer(page, 'set_coverage_state');
  await press(words.coverage.moves.live.paused);
  await controls.locator('.refused').waitFor();
  await page.clock.fastForward(LOOK_MS);
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
