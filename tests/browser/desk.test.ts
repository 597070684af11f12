import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { LIMITS } from '../../src/lib/domain/limits.ts';
import { composer as composerWords } from '../../src/lib/i18n/en/composer.ts';
import { corrections } from '../../src/lib/i18n/en/corrections.ts';
import { running, desk as words } from '../../src/lib/i18n/en/desk.ts';
import { deskList } from '../../src/lib/i18n/en/desk-list.ts';
import { expectNoAxeFindings } from '../support/browser.ts';
import { goToDesk, readStoredUpdates, test, textOf } from '../support/desk-page.ts';
import { call, paragraph } from '../support/newsroom.ts';
import { signIn } from '../support/sign-in.ts';

describe('published updates', () => {
  test('is corrected with a note, pinned, and withdrawn with a reason', async ({
    site,
    newsroom,
    openDesk,
  }) => {
    await newsroom.publish({ headline: 'Level at 4.8' });
    const { row } = await openDesk('editor');
    const update = row(words.list.number(1));
    await update.getByRole('button', { name: words.actions.edit }).click();
    await update.getByText(composerWords.more, { exact: true }).click();
    await update.getByLabel(composerWords.headline).fill('Level at 4.2');
    await update.getByLabel(words.change.correction).check();
    await update.getByRole('button', { name: words.saving.change }).click();
    await expect.poll(() => update.locator('.problem').innerText()).toBe(words.problems.note(LIMITS.note));
    await update.getByLabel(words.change.note).fill('We gave 4.8 at first.');
    await update.getByRole('button', { name: words.saving.change }).click();
    await update.getByText('Level at 4.2').waitFor();
    await update.getByText(words.list.corrected).waitFor();
    const { data: notes } = await site.service
      .from('update_notes')
      .select('kind, note')
      .eq('coverage_id', newsroom.coverage.id);
    expect(notes).toEqual([{ kind: 'correction', note: 'We gave 4.8 at first.' }]);

    await update.getByRole('button', { name: words.actions.pin, exact: false }).click();
    await update.getByText(words.list.pinned, { exact: true }).waitFor();
    await update.getByRole('button', { name: words.actions.unpin }).click();
    await update.getByText(words.list.pinned, { exact: true }).waitFor({ state: 'detached' });

    await update.getByRole('button', { name: words.actions.withdraw }).click();
    await update.getByLabel(words.withdraw.reason).fill('The gauge is broken.');
    await update.locator('.panel').getByRole('button', { name: words.withdraw.confirm }).click();
    // The field keeps its text until the response arrives. The list then shows the withdrawal.
    await update.locator('.panel').waitFor({ state: 'detached' });
    await update.getByText('The gauge is broken.').waitFor();
    expect((await readStoredUpdates(site, newsroom))[0]).toMatchObject({
      state: 'withdrawn',
      withdrawn_reason: 'The gauge is broken.',
    });
  });

  test('shows what each version changed, and allows editors to redact or reuse a version', async ({
    site,
    newsroom,
    openDesk,
  }) => {
    const first = await newsroom.publish({ headline: 'Gates', body: [paragraph('The gates are shut.')] });
    await newsroom.revise(first, { headline: 'Gates', body: [paragraph('Mr Doe has shut the gates.')] });
    const { page, row } = await openDesk('editor');
    const update = row(words.list.number(1));
    const act = (name: string) => update.getByRole('button', { name }).click();
    // A panel keeps its typed text when it is closed.
    await act(words.actions.withdraw);
    await update.getByLabel(words.withdraw.reason).fill('It was the wind.');
    await update.locator('.panel').getByRole('button', { name: words.close }).click();
    await act(words.actions.withdraw);
    await expect.poll(() => update.getByLabel(words.withdraw.reason).inputValue()).toBe('It was the wind.');
    await update.locator('.panel').getByRole('button', { name: words.close }).click();

    const right = { headline: 'Gates', body: [paragraph('The gates are open.')] };
    await newsroom.correct({ ...first, version: 2 }, right, 'They are open.');
    await act(corrections.desk.history);
    const version = (number: number) =>
      update.getByRole('listitem').filter({ hasText: corrections.desk.version(number) });
    await version(3).getByText('They are open.').waitFor();
    expect(await version(2).locator('ins').allTextContents()).toContain('Added: Mr Doe has.');
    await expectNoAxeFindings(page);
    expect(await version(3).getByRole('button', { name: corrections.desk.redact }).count()).toBe(0);
    await version(2).getByRole('button', { name: corrections.desk.redact }).click();
    await version(2).getByLabel(corrections.desk.redactReason).fill('He has nothing to do with it.');
    await expectNoAxeFindings(page);
    await version(2)
      .getByRole('button', { name: corrections.desk.redactConfirm(2) })
      .click();
    await version(2).getByText(corrections.history.redacted).waitFor();
    await expect.poll(() => update.getByText('Mr Doe').count()).toBe(0);
    const { data } = await site.service
      .from('update_revisions')
      .select('version, content')
      .eq('update_id', first.id)
      .order('version');
    expect(data?.map(({ content }) => content !== null)).toEqual([true, false, true]);

    await version(1).getByRole('button', { name: corrections.desk.use }).click();
    await expect.poll(() => update.getByLabel(composerWords.body).inputValue()).toBe('The gates are shut.');
    await update.getByRole('button', { name: words.conflict.bringBack }).click();
    expect(await update.getByLabel(composerWords.body).inputValue()).toBe('The gates are open.');
    await expectNoAxeFindings(page);
    // By keyboard: Escape closes the panel and focuses its row; E opens it again.
    await page.keyboard.press('Escape');
    await update.locator('.panel').waitFor({ state: 'detached' });
    expect(await update.evaluate((row) => row === document.activeElement), 'the row has focus').toBe(true);
    await page.keyboard.press('e');
    await expect
      .poll(() => update.getByLabel(composerWords.body).evaluate((box) => box === document.activeElement))
      .toBe(true);
  });

  test('compares both texts in the open panel when two people change one at once, and loses neither', async ({
    site,
    newsroom,
    openDesk,
  }) => {
    const first = await newsroom.publish({ headline: 'Gates', body: [paragraph('As it was')] });
    const { page, row, expectError } = await openDesk('editor');
    expectError(/409/);
    const update = row(words.list.number(1));
    await update.getByRole('button', { name: words.actions.edit }).click();
    const box = update.getByLabel(composerWords.body);
    await box.fill('My words');
    await newsroom.revise(first, { headline: 'Gates', body: [paragraph('Their words')] });
    await update.getByRole('button', { name: words.saving.change }).click();
    const conflict = update.locator('.conflict');
    await conflict.locator('del', { hasText: 'Their' }).waitFor();
    await conflict.locator('ins', { hasText: 'My' }).waitFor();
    expect(textOf((await readStoredUpdates(site, newsroom))[0])).toBe('Their words');

    // The panel stays open and holds the only copy: nothing waits in the outbox.
    expect(await box.inputValue()).toBe('My words');
    expect(await page.locator('.outgoing').count()).toBe(0);
    await expectNoAxeFindings(page);
    // The comparison survives a reload.
    await goToDesk(page, newsroom);
    await update.getByRole('button', { name: words.actions.edit }).click();
    await conflict.locator('ins', { hasText: 'My' }).waitFor();
    await conflict.getByRole('button', { name: words.conflict.takeTheirs }).click();
    expect(await box.inputValue()).toBe('Their words');
    // The text that was not chosen survives a reload.
    await goToDesk(page, newsroom);
    await update.getByRole('button', { name: words.actions.edit }).click();
    await expect.poll(() => box.inputValue()).toBe('Their words');
    await update.getByRole('button', { name: words.conflict.bringBack }).click();
    expect(await box.inputValue()).toBe('My words');
    await update.getByRole('button', { name: words.saving.change }).click();
    await update.locator('.panel').waitFor({ state: 'detached' });
    await expect.poll(async () => textOf((await readStoredUpdates(site, newsroom))[0])).toBe('My words');
    expect((await readStoredUpdates(site, newsroom))[0]).toMatchObject({ version: 3 });
  });

  test('names in the open panel the person who saved a newer version, and compares at once', async ({
    site,
    newsroom,
    openDesk,
  }) => {
    const first = await newsroom.publish({ headline: 'Gates', body: [paragraph('As it was')] });
    const { row, joined } = await openDesk('editor');
    await joined();
    const update = row(words.list.number(1));
    await update.getByRole('button', { name: words.actions.edit }).click();
    await update.getByLabel(composerWords.body).fill('My words');
    await newsroom.revise(first, { headline: 'Gates', body: [paragraph('Their words')] });
    const { data } = await site.service
      .from('people')
      .select('display_name')
      .eq('id', newsroom.people.reporter.id)
      .single();
    await update.getByText(deskList.newerSavedBy(data?.display_name)).waitFor();
    await update.getByRole('button', { name: deskList.compare }).click();
    await update.locator('.conflict del', { hasText: 'Their' }).waitFor();
    await update.getByText(words.conflict.savedBy(data?.display_name)).waitFor();
    expect(await update.getByLabel(composerWords.body).inputValue()).toBe('My words');
  });

  test("can be changed by a reporter only when it is the reporter's own", async ({ newsroom, openDesk }) => {
    await newsroom.publish({ headline: 'By the reporter' });
    await call(newsroom.people.editor.client, 'publish_update', {
      coverage_id: newsroom.coverage.id,
      update_id: randomUUID(),
      content: { headline: 'By the editor', body: [paragraph('x')] },
    });
    const { row } = await openDesk('reporter');
    await row('By the reporter').getByRole('button', { name: words.actions.withdraw }).waitFor();
    expect(await row('By the editor').getByRole('button').count()).toBe(0);
  });
});

describe('coverage controls', () => {
  test('changes the state and the summary, and withdraws a coverage after its slug was typed', async ({
    site,
    newsroom,
    openDesk,
  }) => {
    const { page } = await openDesk('editor');
    const controls = page.locator('.controls');
    const press = (name: string) => controls.getByRole('button', { name, exact: true }).click();
    const menu = page.locator('.state-button');
    const choose = async (name: string) => {
      await menu.click();
      await page.locator('.state-menu').getByRole('button', { name, exact: true }).click();
    };
    const state = (name: string) => menu.filter({ hasText: name }).waitFor();
    const isFocused = () => menu.evaluate((button) => button === document.activeElement);

    await choose(words.coverage.moves.live.paused);
    await state(words.states.paused);
    await choose(words.coverage.moves.paused.live);
    await state(words.states.live);

    await controls.getByText(words.coverage.summary, { exact: true }).click();
    await press(words.coverage.editSummary);
    await controls
      .getByRole('textbox', { name: words.coverage.editSummary })
      .fill('- Rising\n- Gates closed');
    await press(words.coverage.saveSummary);
    await controls.locator('li', { hasText: 'Gates closed' }).waitFor();

    await press(words.coverage.editSummary);
    const box = controls.getByRole('textbox', { name: words.coverage.editSummary });
    await box.fill('Falling');
    await press(words.coverage.saveSummary);
    await controls.getByText('Falling', { exact: true }).waitFor();
    await controls.getByText(running.versions.title, { exact: true }).click();
    await press(`${running.versions.bringBack} ${running.versions.version(2)}`);
    await expect.poll(() => box.inputValue()).toBe('- Rising\n- Gates closed');
    await press(words.about(words.close, words.coverage.editSummary));

    // Escape closes the menu, and then the dialog, and returns the focus.
    await menu.press('Enter');
    await page.keyboard.press('Escape');
    expect(await isFocused()).toBe(true);
    await choose(words.coverage.moves.live.ended);
    const dialog = page.getByRole('dialog', { name: running.confirm.ended.title });
    await dialog.getByText(running.means.ended).waitFor();
    await expectNoAxeFindings(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await isFocused()).toBe(true);
    await state(words.states.live);
    await choose(words.coverage.moves.live.ended);
    // The new state arrives before the response of the command, which must not close the next dialog.
    const isAnswered = Promise.withResolvers<void>();
    await page.route('**/rpc/set_coverage_state', async (route) => {
      const response = await route.fetch();
      await isAnswered.promise;
      await route.fulfill({ response });
    });
    const answer = page.waitForResponse('**/rpc/set_coverage_state');
    await dialog.getByRole('button', { name: running.confirm.ended.confirm }).click();
    await state(words.states.ended);
    await choose(words.coverage.moves.ended.archived);
    const archiving = page.getByRole('dialog', { name: running.confirm.archived.title });
    await archiving.waitFor();
    isAnswered.resolve();
    await (await answer).finished();
    // Pages show what changed at the next frame at the latest.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    await archiving.getByRole('button', { name: words.cancel }).click();
    await archiving.waitFor({ state: 'detached' });
    await choose(words.coverage.moves.ended.withdrawn);
    const withdrawing = page.getByRole('dialog', { name: running.confirm.withdrawn.title });
    const typed = withdrawing.getByLabel(words.coverage.withdrawLabel(newsroom.coverage.slug));
    const withdraw = withdrawing.getByRole('button', { name: running.confirm.withdrawn.confirm });
    await typed.fill('river');
    await withdraw.click();
    await withdrawing.getByText(words.coverage.withdrawMismatch(newsroom.coverage.slug)).waitFor();
    await typed.fill(newsroom.coverage.slug);
    await withdraw.click();
    await state(words.states.withdrawn);
    const { data } = await site.service
      .from('coverages')
      .select('state')
      .eq('id', newsroom.coverage.id)
      .single();
    expect(data).toEqual({ state: 'withdrawn' });
  });
});

test('shows changes by other people, and reports a lost connection', async ({ newsroom, openDesk }) => {
  const { page, row, nextRefetch, expectError } = await openDesk('editor');
  expectError(/ERR_INTERNET_DISCONNECTED/);
  await newsroom.publish({ headline: 'By a colleague' });
  await nextRefetch();
  await row('By a colleague').waitFor();
  await page.context().setOffline(true);
  await nextRefetch();
  await page.getByText('No connection since').waitFor();
  await newsroom.publish({ headline: 'Meanwhile' });
  await page.context().setOffline(false);
  await nextRefetch();
  await row('Meanwhile').waitFor();
  await page.getByText('No connection since').waitFor({ state: 'detached' });
});

test('shows the current state in a desk part whose script loads late', async ({ newsroom, openDesk }) => {
  const { coverage, people } = newsroom;
  const pinned = await newsroom.publish({ headline: 'At the top' });
  await call(people.editor.client, 'pin_update', { coverage_id: coverage.id, update_id: pinned.id });
  const { page, box, row } = await openDesk('editor');
  const unhydrated = page.locator('astro-island[ssr]');

  /** Loads the desk and delays the script of one part until `meanwhile` has ended. */
  async function loadDelayed(script: string, meanwhile: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const address = `**/_astro/${script}.*.js`;
    await page.route(address, async (route) => {
      await promise;
      await route.continue();
    });
    await goToDesk(page, newsroom);
    await meanwhile();
    await expect.poll(() => unhydrated.count()).toBe(1);
    resolve();
    await expect.poll(() => unhydrated.count()).toBe(0);
    await page.unroute(address);
  }

  await loadDelayed('CoverageControls', async () => {
    await page.getByText('Checked').waitFor();
  });
  await page.locator('.pinned-now', { hasText: 'At the top' }).waitFor();

  await loadDelayed('UpdateList', async () => {
    await box.fill('Before the list');
    await box.press('Control+Enter');
    await expect.poll(() => box.inputValue()).toBe('');
  });
  await row('Before the list').getByText(words.updateStates.published).waitFor();
});

test('shows the list without script, and hides controls that need one', async ({ newsroom, visit }) => {
  await newsroom.publish({ headline: 'Read without a script' });
  const { page } = await visit({ javaScriptEnabled: false });
  await signIn(page, newsroom.people.editor);
  await page.goto(`/desk/${newsroom.coverage.slug}`);
  await page.getByText('Read without a script').waitFor();
  await page.getByText(words.connection.noScript).waitFor();
  expect(await page.locator('.composer').isVisible()).toBe(false);
  expect(await page.locator('.row-actions').first().isVisible()).toBe(false);
});
