import { randomUUID } from 'node:crypto';
import type { Page, Route } from 'playwright-core';
import { describe, expect } from 'vitest';
import { LIMITS } from '../../src/lib/limits.ts';
import { desk as words } from '../../src/lib/text/desk.ts';
import { test as base, type Visitor } from '../support/browser.ts';
import { call, type Newsroom, paragraph, type Role } from '../support/newsroom.ts';
import { signIn } from '../support/sign-in.ts';
import type { TestSite } from '../support/site.ts';

type Desk = Visitor & {
  composer: ReturnType<Page['locator']>;
  box: ReturnType<Page['getByLabel']>;
  /** The row of the list that has these words. */
  row(text: string): ReturnType<Page['locator']>;
  /** Time passes until the desk looks again. */
  nextLook(): Promise<void>;
};

const LOOK_MS = 5_000;
/** Longer than an access token lives. */
const OVER_AN_HOUR_MS = 3_700_000;

const test = base.extend('openDesk', ({ visit, newsroom }) => async (role: Role): Promise<Desk> => {
  const visitor = await visit();
  await signIn(visitor.page, newsroom.people[role]);
  await visitor.page.clock.install();
  await openDeskPage(visitor.page, newsroom);
  const composer = visitor.page.locator('.composer');
  return {
    ...visitor,
    composer,
    box: composer.getByLabel(words.composer.body),
    row: (text) => visitor.page.locator('.desk-row', { hasText: text }),
    nextLook: () => visitor.page.clock.fastForward(LOOK_MS),
  };
});

async function openDeskPage(page: Page, { coverage }: Newsroom): Promise<void> {
  await page.goto(`/desk/${coverage.slug}`);
  await page.locator('.composer fieldset:not([disabled])').waitFor();
}

/** The updates of a coverage as they are stored, by number and then by time. */
async function stored(site: TestSite, { coverage }: Newsroom) {
  const { data } = await site.service
    .from('updates')
    .select('*')
    .eq('coverage_id', coverage.id)
    .order('number')
    .order('filed_at');
  return data ?? [];
}

const words0 = (update: { body: { runs?: { text: string }[] }[] }) => update.body[0]?.runs?.[0]?.text;

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

describe('publishing', () => {
  test('what is written goes out with Ctrl and Enter, and stands in the list', async ({
    site,
    newsroom,
    openDesk,
  }) => {
    const { page, composer, box, row } = await openDesk('reporter');
    await box.fill('The **gates** are closed.\n\n- one\n- two');
    await composer.getByText(words.composer.more, { exact: true }).click();
    await composer.getByLabel(words.composer.headline).fill('Gates closed');
    await composer.getByLabel(words.composer.key_event).check();
    await composer.getByText(words.composer.preview).click();
    expect(await composer.locator('article strong').innerText()).toBe('gates');
    await box.press('Control+Enter');
    await composer.getByText(words.status.sent.published(1)).waitFor();
    expect(await box.inputValue()).toBe('');
    await row('Gates closed').getByText(words.list.keyEvent).waitFor();
    const [update] = await stored(site, newsroom);
    expect(update).toMatchObject({ state: 'published', headline: 'Gates closed', key_event: true });
    expect(update.body.map((block: { type: string }) => block.type)).toEqual(['paragraph', 'list']);
    expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
  });

  test('a lost answer and a second press are one update', async ({ site, newsroom, openDesk }) => {
    const { page, composer, box, expectComplaint } = await openDesk('reporter');
    expectComplaint(/ERR_CONNECTION_RESET/);
    await loseAnswer(page, 'publish_update');
    await box.fill('Only once');
    await composer.getByRole('button', { name: words.saving.publish }).click();
    const note = composer.locator('.refused');
    await note.waitFor();
    expect(await box.inputValue()).toBe('Only once');
    expect(await note.evaluate((element) => element === document.activeElement)).toBe(true);
    await composer.getByRole('button', { name: words.saving.publish }).click();
    await composer.getByText(words.status.sent.published(1)).waitFor();
    expect((await stored(site, newsroom)).map(words0)).toEqual(['Only once']);
  });

  test('what is on its way cannot be typed into; when it does not arrive it can', async ({
    site,
    newsroom,
    openDesk,
  }) => {
    const { page, composer, box, expectComplaint } = await openDesk('reporter');
    expectComplaint(/ERR_/);
    const held = Promise.withResolvers<Route>();
    await page.route('**/rpc/publish_update', (route) => held.resolve(route), { times: 1 });
    await box.fill('On a slow line');
    await box.press('Control+Enter');
    await held.promise;
    await composer.getByText(words.status.sending).waitFor();
    await box.press('Control+Enter');
    expect(await box.isEditable()).toBe(false);
    await (await held.promise).abort('timedout');
    await composer.locator('.refused').waitFor();
    expect(await box.inputValue()).toBe('On a slow line');
    expect(await box.isEditable()).toBe(true);
    expect(await stored(site, newsroom)).toEqual([]);
  });

  test('so are a lost answer, a reload and another press', async ({ site, newsroom, openDesk }) => {
    const { page, composer, box, expectComplaint } = await openDesk('reporter');
    expectComplaint(/ERR_CONNECTION_RESET/);
    await loseAnswer(page, 'publish_update');
    await box.fill('Still only once');
    await box.press('Control+Enter');
    await composer.locator('.refused').waitFor();
    await openDeskPage(page, newsroom);
    await expect.poll(() => box.inputValue()).toBe('Still only once');
    await box.press('Control+Enter');
    await composer.getByText(words.status.sent.published(1)).waitFor();
    expect((await stored(site, newsroom)).map(words0)).toEqual(['Still only once']);
  });

  test('words that were changed after a lost answer are a change of what is live', async ({
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
    expect(await box.inputValue()).toBe('Better words');
    await composer.getByRole('button', { name: words.saving.change }).click();
    await composer.getByText(words.status.sent.changed).waitFor();
    const updates = await stored(site, newsroom);
    expect(updates.map((update) => [words0(update), update.version])).toEqual([['Better words', 2]]);
    await expect.poll(() => composer.getByRole('button', { name: words.saving.publish }).count()).toBe(1);
  });

  test('what breaks a rule says so at its field, and the words stay', async ({
    site,
    newsroom,
    openDesk,
  }) => {
    const { composer, box } = await openDesk('reporter');
    await box.fill('x'.repeat(10_001));
    await box.press('Control+Enter');
    const sentence = words.problems.tooLong(10_001, 10_000);
    await expect.poll(() => composer.locator('.problem').innerText()).toBe(sentence);
    expect(await composer.locator('.refused').evaluate((note) => note === document.activeElement)).toBe(true);
    expect(await box.getAttribute('aria-invalid')).toBe('true');
    expect(await stored(site, newsroom)).toEqual([]);
  });

  test('what the coverage does not take is refused with what to do, and the words stay', async ({
    newsroom,
    openDesk,
  }) => {
    const { composer, box, nextLook, expectComplaint } = await openDesk('reporter');
    expectComplaint(/409/);
    await newsroom.setState('ended');
    await newsroom.setState('archived');
    await box.fill('Too late');
    await box.press('Control+Enter');
    await expect.poll(() => composer.locator('.refused').innerText()).toContain('live, paused or ended');
    expect(await box.inputValue()).toBe('Too late');
    await nextLook();
    await expect
      .poll(() => composer.getByRole('button', { name: words.saving.publish }).isDisabled())
      .toBe(true);
  });
});

describe('a session that has ended', () => {
  test('keeps the words, and sends them once somebody has signed in in another tab', async ({
    site,
    newsroom,
    openDesk,
  }) => {
    const { page, composer, box, expectComplaint } = await openDesk('reporter');
    expectComplaint(/401/);
    await page.context().clearCookies();
    await page.clock.fastForward(OVER_AN_HOUR_MS);
    await box.fill('Written at the wrong time');
    await box.press('Control+Enter');
    await composer.getByText(words.status.signedOut).waitFor();
    const other = await page.context().newPage();
    await signIn(other, newsroom.people.reporter);
    await other.close();
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await composer.getByText(words.status.sent.published(1)).waitFor();
    expect((await stored(site, newsroom)).map(words0)).toEqual(['Written at the wrong time']);
  });

  test('is not gone on with by somebody else', async ({ site, newsroom, openDesk }) => {
    const { page, composer, box, expectComplaint } = await openDesk('reporter');
    expectComplaint(/401/);
    await page.context().clearCookies();
    await page.clock.fastForward(OVER_AN_HOUR_MS);
    await box.fill('Mine alone');
    await box.press('Control+Enter');
    await composer.getByText(words.status.signedOut).waitFor();
    await page.context().clearCookies();
    const other = await page.context().newPage();
    await signIn(other, newsroom.people.editor);
    await openDeskPage(other, newsroom);
    expect(await other.locator('.composer textarea').inputValue()).toBe('');
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await composer.getByRole('button', { name: words.saving.publish }).click();
    await composer.getByText(words.status.someoneElse).waitFor();
    expect(await stored(site, newsroom)).toEqual([]);
    expect(await box.inputValue()).toBe('Mine alone');
  });
});

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
    expect(updates.map((update) => [words0(update), update.version, update.number])).toEqual([
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

  test('words are kept on the device at every change, and thrown away when told to', async ({
    newsroom,
    openDesk,
  }) => {
    const { page, composer, box } = await openDesk('reporter');
    await box.fill('Half a thou');
    await openDeskPage(page, newsroom);
    await expect.poll(() => box.inputValue()).toBe('Half a thou');
    await composer.getByRole('button', { name: words.composer.clear }).click();
    await openDeskPage(page, newsroom);
    expect(await box.inputValue()).toBe('');
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
    expect(words0((await stored(site, newsroom))[0])).toBe('Their words');

    await conflict.getByRole('button', { name: words.conflict.takeTheirs }).click();
    expect(await box.inputValue()).toBe('Their words');
    await update.getByRole('button', { name: words.conflict.bringBack }).click();
    expect(await box.inputValue()).toBe('My words');
    await update.getByRole('button', { name: words.saving.change }).click();
    await update.locator('.editor').waitFor({ state: 'detached' });
    expect((await stored(site, newsroom))[0]).toMatchObject({ version: 3 });
    expect(words0((await stored(site, newsroom))[0])).toBe('My words');
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
