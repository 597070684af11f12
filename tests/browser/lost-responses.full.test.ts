import { expect } from 'vitest';
import { desk as words } from '../../src/lib/i18n/en/desk.ts';
import { loseResponse, readStoredUpdates, test, textOf } from '../support/desk-page.ts';

test('submits once when the response is lost', async ({ site, newsroom, openDesk }) => {
  const { page, composer, box, expectError } = await openDesk('contributor');
  expectError(/ERR_CONNECTION_RESET/);
  await loseResponse(page, 'submit_update');
  await box.fill('From the pier');
  await box.press('Control+Enter');
  await composer.getByText(words.status.sent.submitted).waitFor();
  expect((await readStoredUpdates(site, newsroom)).map((update) => [textOf(update), update.state])).toEqual([
    ['From the pier', 'submitted'],
  ]);
});

test('changes a state again after a lost response', async ({ site, newsroom, openDesk }) => {
  const { page, nextRefetch, expectError } = await openDesk('editor');
  expectError(/ERR_CONNECTION_RESET/);
  const controls = page.locator('.coverage-menu');
  const menu = controls.locator('.state-button');
  const press = async (name: string) => {
    await menu.click();
    await controls.getByRole('button', { name, exact: true }).click();
  };
  const state = (name: string) => menu.filter({ hasText: name }).waitFor();
  await loseResponse(page, 'set_coverage_state');
  await press(words.coverage.moves.live.paused);
  await controls.locator('.refused').waitFor();
  await nextRefetch();
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
