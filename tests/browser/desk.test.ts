import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { localTime } from '../../src/lib/desk/schedule.ts';
import { LIMITS } from '../../src/lib/limits.ts';
import { desk as words } from '../../src/lib/text/desk.ts';
import { clockTime } from '../../src/lib/time/clock.ts';
import { shortDay } from '../../src/lib/time/days.ts';
import { goToDesk, stored, test, wordsOf } from '../support/desk-test.ts';
import { call, paragraph } from '../support/newsroom.ts';
import { signIn } from '../support/sign-in.ts';

describe('drafts', () => {
  test('a draft is kept at the desk, opened again, and published from there', async ({
    site,
    newsroom,
    openDesk,
  }) => {
    const { composer, box, row } = await openDesk('reporter');
    await box.fill('Not sure yet');
    await composer.getByRole('button', { name: words.saving.save }).click();
    await composer.getByText(words.status.sent.draft).waitFor();
    await row('Not sure yet').getByRole('button', { name: words.actions.edit }).click();
    await row(words.updateStates.draft).getByLabel(words.composer.body).fill('Sure now');
    await row(words.updateStates.draft).getByRole('button', { name: words.saving.publish }).click();
    await row('Sure now').getByText(words.updateStates.published).waitFor();
    const updates = await stored(site, newsroom);
    expect(updates.map((update) => [wordsOf(update), update.version, update.number])).toEqual([
      ['Sure now', 2, 1],
    ]);
  });

  test('a contributor submits, an editor publishes; both see it as it goes', async ({
    newsroom,
    openDesk,
  }) => {
    const contributor = await openDesk('contributor');
    expect(await contributor.composer.getByRole('button', { name: words.saving.publish }).count()).toBe(0);
    await contributor.box.fill('From the pier');
    await contributor.box.press('Control+Enter');
    await contributor.composer.getByText(words.status.sent.submitted).waitFor();
    await contributor.row('From the pier').getByText(words.updateStates.submitted).waitFor();

    const editor = await openDesk('editor');
    await editor.row('From the pier').getByRole('button', { name: words.actions.publish }).click();
    await editor.row('From the pier').getByText(words.updateStates.published).waitFor();
    await contributor.nextLook();
    await contributor.row('From the pier').getByText(words.updateStates.published).waitFor();
    expect(await contributor.row('From the pier').getByRole('button').count()).toBe(0);
    expect((await newsroom.publish()).number).toBe(2);
  });

  test('what is spiked leaves the list, and is found where it is asked for', async ({
    openDesk,
    newsroom,
  }) => {
    const { page, row, nextLook } = await openDesk('editor');
    await call(newsroom.people.reporter.client, 'save_update', {
      coverage_id: newsroom.coverage.id,
      update_id: randomUUID(),
      content: { body: [paragraph('A rumour')] },
    });
    await nextLook();
    await row('A rumour').getByRole('button', { name: words.actions.spike }).click();
    await row('A rumour')
      .locator('.panel')
      .getByRole('button', { name: words.spike.confirm, exact: true })
      .click();
    await row('A rumour').waitFor({ state: 'detached' });
    await page.getByLabel(words.list.filter).selectOption('spiked');
    await row('A rumour').getByText(words.updateStates.spiked).waitFor();
  });

  test('what has its time is listed with it, taken off the schedule, and goes out by itself', async ({
    newsroom: { coverage, people },
    openDesk,
  }) => {
    const { composer, box, row, joined } = await openDesk('editor');
    const clock = { timeZone: 'Europe/Dublin', language: 'en' };
    const tomorrow = new Date(Date.now() + 24 * 3600_000).toISOString();
    await box.fill('At six');
    await composer.getByText(words.schedule.later).click();
    const time = composer.getByLabel(words.schedule.at(clock.timeZone));
    await time.fill('2020-01-01T06:00');
    await time.press('Enter');
    await composer.locator('.problem', { hasText: words.schedule.past }).waitFor();
    await time.fill(localTime(tomorrow, clock.timeZone));
    await composer.getByRole('button', { name: words.saving.schedule }).click();
    await composer.getByText(words.status.sent.scheduled).waitFor();
    const stands = words.schedule.stands(
      clockTime(tomorrow, clock),
      shortDay(tomorrow, clock, tomorrow),
      clock.timeZone,
    );
    await row('At six').getByText(stands).waitFor();
    await row('At six').getByRole('button', { name: words.actions.unschedule }).click();
    await row('At six').getByText(words.updateStates.draft, { exact: true }).waitFor();

    await joined();
    await call(people.reporter.client, 'schedule_update', {
      coverage_id: coverage.id,
      update_id: randomUUID(),
      content: { body: [paragraph('By itself')] },
      scheduled_for: new Date(Date.now() + 2_000).toISOString(),
    });
    await row('By itself').getByText(words.updateStates.published).waitFor();
  });

  test('words are kept on the device at every change, and thrown away when told to', async ({
    newsroom,
    openDesk,
  }) => {
    const { page, composer, box } = await openDesk('reporter');
    await box.fill('Half a thou');
    await goToDesk(page, newsroom);
    await expect.poll(() => box.inputValue()).toBe('Half a thou');
    const button = composer.getByRole('button', { name: words.composer.clear });
    const place = await button.boundingBox();
    await button.focus();
    expect(await button.boundingBox(), 'a finger is on it: it must not move').toEqual(place);
    await button.click();
    await goToDesk(page, newsroom);
    expect(await box.inputValue()).toBe('');
  });

  test('what was opened for an update closes when it is out, and the next one begins in the box', async ({
    openDesk,
  }) => {
    const { composer, box, row } = await openDesk('reporter');
    await box.fill('The gates are shut');
    await composer.getByText(words.composer.more, { exact: true }).click();
    const headline = composer.getByLabel(words.composer.headline);
    await headline.fill('Shut');
    await headline.press('Control+Enter');
    await row('The gates are shut').getByText(words.updateStates.published).waitFor();
    expect(await headline.isVisible()).toBe(false);
    await expect.poll(() => box.evaluate((field) => field === document.activeElement)).toBe(true);
  });
});

describe('what is published', () => {
  test('is corrected with a note, pinned, and withdrawn with a reason', async ({
    site,
    newsroom,
    openDesk,
  }) => {
    await newsroom.publish({ headline: 'Level at 4.8' });
    const { row } = await openDesk('editor');
    const update = row(words.list.number(1));
    await update.getByRole('button', { name: words.actions.edit }).click();
    await update.getByText(words.composer.more, { exact: true }).click();
    await update.getByLabel(words.composer.headline).fill('Level at 4.2');
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
    // The field keeps its words until the answer is there: the list's own state says that it came.
    await update.locator('.panel').waitFor({ state: 'detached' });
    await update.getByText('The gauge is broken.').waitFor();
    expect((await stored(site, newsroom))[0]).toMatchObject({
      state: 'withdrawn',
      withdrawn_reason: 'The gauge is broken.',
    });
  });

  test('two who change it at once see both texts, and neither is lost', async ({
    site,
    newsroom,
    openDesk,
  }) => {
    const first = await newsroom.publish({ headline: 'Gates', body: [paragraph('As it was')] });
    const { row, expectComplaint } = await openDesk('editor');
    expectComplaint(/409/);
    const update = row(words.list.number(1));
    await update.getByRole('button', { name: words.actions.edit }).click();
    const box = update.getByLabel(words.composer.body);
    await box.fill('My words');
    await newsroom.revise(first, { headline: 'Gates', body: [paragraph('Their words')] });
    await update.getByRole('button', { name: words.saving.change }).click();
    const conflict = update.locator('.conflict');
    await conflict.getByText('Their words').waitFor();
    await conflict.getByText('My words').waitFor();
    expect(wordsOf((await stored(site, newsroom))[0])).toBe('Their words');

    await conflict.getByRole('button', { name: words.conflict.takeTheirs }).click();
    expect(await box.inputValue()).toBe('Their words');
    await update.getByRole('button', { name: words.conflict.bringBack }).click();
    expect(await box.inputValue()).toBe('My words');
    await update.getByRole('button', { name: words.saving.change }).click();
    await update.locator('.editor').waitFor({ state: 'detached' });
    expect((await stored(site, newsroom))[0]).toMatchObject({ version: 3 });
    expect(wordsOf((await stored(site, newsroom))[0])).toBe('My words');
  });

  test("a reporter changes their own, and others' not at all", async ({ newsroom, openDesk }) => {
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

describe('running a coverage', () => {
  test('its states, its summary, and its withdrawal once its slug was typed', async ({
    site,
    newsroom,
    openDesk,
  }) => {
    const { page } = await openDesk('editor');
    const controls = page.locator('.controls');
    const press = (name: string) => controls.getByRole('button', { name, exact: true }).click();
    const state = (name: string) => controls.locator('b', { hasText: name }).waitFor();

    await press(words.coverage.moves.live.paused);
    await state(words.states.paused);
    await press(words.coverage.moves.paused.live);
    await state(words.states.live);

    await controls.getByText(words.coverage.summary, { exact: true }).click();
    await press(words.coverage.editSummary);
    await controls.getByLabel(words.coverage.editSummary).fill('- Rising\n- Gates closed');
    await press(words.coverage.saveSummary);
    await controls.locator('li', { hasText: 'Gates closed' }).waitFor();

    await controls.getByText(words.following.title, { exact: true }).click();
    await controls.getByLabel(words.following.follow).selectOption('checks');
    const seconds = controls.getByLabel(words.following.interval);
    await seconds.fill('soon');
    await press(words.following.save);
    await expect.poll(() => seconds.getAttribute('aria-invalid')).toBe('true');
    await seconds.fill('60');
    await press(words.following.save);
    const following = async () =>
      (
        await site.service
          .from('coverages')
          .select('reader_follow, reader_interval')
          .eq('id', newsroom.coverage.id)
          .single()
      ).data;
    await expect.poll(following).toEqual({ reader_follow: 'checks', reader_interval: 60 });

    await press(words.coverage.moves.live.ended);
    await state(words.states.ended);
    await press(words.coverage.moves.ended.withdrawn);
    const typed = controls.getByLabel(words.coverage.withdrawLabel(newsroom.coverage.slug));
    await typed.fill('river');
    await press(words.coverage.withdrawConfirm);
    await controls.getByText(words.coverage.withdrawMismatch(newsroom.coverage.slug)).waitFor();
    await typed.fill(newsroom.coverage.slug);
    await press(words.coverage.withdrawConfirm);
    await state(words.states.withdrawn);
    const { data } = await site.service
      .from('coverages')
      .select('state')
      .eq('id', newsroom.coverage.id)
      .single();
    expect(data).toEqual({ state: 'withdrawn' });
  });
});

test('what others do appears by itself, and trouble with the line is said', async ({
  newsroom,
  openDesk,
}) => {
  const { page, row, nextLook, expectComplaint } = await openDesk('editor');
  expectComplaint(/ERR_INTERNET_DISCONNECTED/);
  await newsroom.publish({ headline: 'By a colleague' });
  await nextLook();
  await row('By a colleague').waitFor();
  await page.context().setOffline(true);
  await nextLook();
  await page.getByText('Not reached since').waitFor();
  await newsroom.publish({ headline: 'Meanwhile' });
  await page.context().setOffline(false);
  await nextLook();
  await row('Meanwhile').waitFor();
  await page.getByText('Not reached since').waitFor({ state: 'detached' });
});

test('without a script the list is there, and nothing that cannot work', async ({ newsroom, visit }) => {
  await newsroom.publish({ headline: 'Read without a script' });
  const { page } = await visit({ javaScriptEnabled: false });
  await signIn(page, newsroom.people.editor);
  await page.goto(`/desk/${newsroom.coverage.slug}`);
  await page.getByText('Read without a script').waitFor();
  await page.getByText(words.connection.noScript).waitFor();
  expect(await page.locator('.composer').isVisible()).toBe(false);
  expect(await page.locator('.row-actions').first().isVisible()).toBe(false);
});
