import type { Route } from 'playwright-core';
import { describe, expect } from 'vitest';
import { desk as words } from '../../src/lib/text/desk.ts';
import { goToDesk, loseAnswer, stored, test, wordsOf } from '../support/desk-test.ts';
import { signIn } from '../support/sign-in.ts';

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
    expect((await stored(site, newsroom)).map(wordsOf)).toEqual(['Only once']);
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
    await goToDesk(page, newsroom);
    await expect.poll(() => box.inputValue()).toBe('Still only once');
    await box.press('Control+Enter');
    await composer.getByText(words.status.sent.published(1)).waitFor();
    expect((await stored(site, newsroom)).map(wordsOf)).toEqual(['Still only once']);
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
    expect(updates.map((update) => [wordsOf(update), update.version])).toEqual([['Better words', 2]]);
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
    expect(await box.evaluate((field) => field === document.activeElement)).toBe(true);
    expect(await box.getAttribute('aria-invalid')).toBe('true');
    expect(await stored(site, newsroom)).toEqual([]);
  });

  test('what the coverage does not take is refused with what to do, and the words stay', async ({
    newsroom,
    openDesk,
  }) => {
    const { page, composer, box, nextLook, expectComplaint } = await openDesk('reporter', { line: 'none' });
    expectComplaint(/409|ERR_FAILED/);
    // Whatever looks are under way, none may learn how the coverage stands before the press.
    await page.route('**/rest/v1/coverages?*', (route) => route.abort());
    await newsroom.setState('ended');
    await newsroom.setState('archived');
    await box.fill('Too late');
    await box.press('Control+Enter');
    await expect.poll(() => composer.locator('.refused').innerText()).toContain('live, paused or ended');
    expect(await box.inputValue()).toBe('Too late');
    await page.unroute('**/rest/v1/coverages?*');
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
    const { page, composer, box, outliveToken, expectComplaint } = await openDesk('reporter');
    expectComplaint(/401/);
    await page.context().clearCookies();
    await outliveToken();
    await box.fill('Written at the wrong time');
    await box.press('Control+Enter');
    await composer.getByText(words.status.signedOut).waitFor();
    const other = await page.context().newPage();
    await signIn(other, newsroom.people.reporter);
    await other.close();
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await composer.getByText(words.status.sent.published(1)).waitFor();
    expect((await stored(site, newsroom)).map(wordsOf)).toEqual(['Written at the wrong time']);
  });

  test('is not gone on with by somebody else', async ({ site, newsroom, openDesk }) => {
    const { page, composer, box, outliveToken, expectComplaint } = await openDesk('reporter');
    expectComplaint(/401/);
    await page.context().clearCookies();
    await outliveToken();
    await box.fill('Mine alone');
    await box.press('Control+Enter');
    await composer.getByText(words.status.signedOut).waitFor();
    await page.context().clearCookies();
    const other = await page.context().newPage();
    await signIn(other, newsroom.people.editor);
    await goToDesk(other, newsroom);
    expect(await other.locator('.composer textarea').inputValue()).toBe('');
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await composer.getByRole('button', { name: words.saving.publish }).click();
    await composer.getByText(words.status.someoneElse).waitFor();
    expect(await stored(site, newsroom)).toEqual([]);
    expect(await box.inputValue()).toBe('Mine alone');
  });
});
