import type { Route } from 'playwright-core';
import { describe, expect } from 'vitest';
import { composer as composing, outbox } from '../../src/lib/i18n/en/composer.ts';
import { errorMessages } from '../../src/lib/i18n/en/database-errors.ts';
import { desk as words } from '../../src/lib/i18n/en/desk.ts';
import { goToDesk, loseResponse, readStoredUpdates, test, textOf } from '../support/desk-page.ts';
import { signIn } from '../support/sign-in.ts';

describe('publishing from the composer', () => {
  test('publishes with Ctrl+Enter, lists the update and can undo it', async ({
    site,
    newsroom,
    openDesk,
  }) => {
    const { page, composer, box, row } = await openDesk('reporter');
    await box.fill('The **gates** are closed.\n\n- one\n- two');
    await composer.getByLabel(composing.headline).fill('Gates closed');
    await composer.getByLabel(composing.key_event).check();
    await composer.getByText(composing.preview).click();
    expect(await composer.locator('article strong').innerText()).toBe('gates');
    await box.press('Control+Enter');
    await composer.getByText(words.status.sent.published(1)).waitFor();
    expect(await box.inputValue()).toBe('');
    await row('Gates closed').getByText(words.list.keyEvent).waitFor();
    const [update] = await readStoredUpdates(site, newsroom);
    expect(update).toMatchObject({ state: 'published', headline: 'Gates closed', key_event: true });
    expect(update.body.map((block: { type: string }) => block.type)).toEqual(['paragraph', 'list']);

    expect(await composer.getByRole('link', { name: outbox.view }).getAttribute('href')).toBe(
      `/live/${newsroom.coverage.slug}/1`,
    );
    await box.fill('The next update');
    await composer.getByRole('button', { name: outbox.undo }).click();
    await expect
      .poll(async () => (await readStoredUpdates(site, newsroom))[0])
      .toMatchObject({ state: 'withdrawn', withdrawn_reason: outbox.undoReason });
    await page.getByText(outbox.withdrawn).waitFor();
    expect(await box.inputValue()).toBe('The next update');
  });

  test('repeats a command after a lost response, also after a reload, without publishing twice', async ({
    site,
    newsroom,
    openDesk,
  }) => {
    const { page, composer, box, expectError } = await openDesk('reporter');
    expectError(/ERR_/);
    await loseResponse(page, 'publish_update');
    await box.fill('Only once');
    await box.press('Control+Enter');
    await composer.getByText(words.status.sent.published(1)).waitFor();

    await loseResponse(page, 'publish_update');
    await box.fill('Still only once');
    await box.press('Control+Enter');
    await expect.poll(async () => (await readStoredUpdates(site, newsroom)).length).toBe(2);
    await goToDesk(page, newsroom);
    expect(await box.inputValue()).toBe('');
    await page.locator('.outgoing-row[data-step="live"]').getByText('Still only once').waitFor();
    expect((await readStoredUpdates(site, newsroom)).map(textOf)).toEqual(['Only once', 'Still only once']);
  });

  test('queues the next update while one is being sent, and sends them in order', async ({
    site,
    newsroom,
    openDesk,
  }) => {
    const { page, composer, box, expectError } = await openDesk('reporter');
    expectError(/ERR_/);
    const pendingRoute = Promise.withResolvers<Route>();
    await page.route('**/rpc/publish_update', (route) => pendingRoute.resolve(route), { times: 1 });
    await box.fill('On a slow line');
    await box.press('Control+Enter');
    const route = await pendingRoute.promise;
    expect(await box.inputValue()).toBe('');
    expect(await box.evaluate((field) => field === document.activeElement), 'the field has focus').toBe(true);
    await box.fill('Right after it');
    await box.press('Control+Enter');
    await expect
      .poll(() => page.locator('.outgoing-row b').allInnerTexts())
      .toEqual([outbox.steps.sending, outbox.steps.on_device]);
    await route.abort('timedout');
    await composer.getByText(words.status.sent.published(2)).waitFor();
    expect((await readStoredUpdates(site, newsroom)).map(textOf)).toEqual([
      'On a slow line',
      'Right after it',
    ]);
  });

  test('queues a command without connection, and allows taking it back', async ({
    site,
    newsroom,
    openDesk,
  }) => {
    const { page, composer, box, expectError } = await openDesk('reporter');
    expectError(/ERR_INTERNET_DISCONNECTED/);
    await page.context().setOffline(true);
    await box.fill('Not so fast');
    await box.press('Control+Enter');
    await page
      .locator('.outgoing-row[data-step="on_device"]')
      .getByRole('button', { name: outbox.takeBack })
      .click();
    await expect.poll(() => box.inputValue()).toBe('Not so fast');
    await box.fill('Better so');
    await box.press('Control+Enter');
    await composer.getByText(outbox.keptToPublish).waitFor();
    await page.context().setOffline(false);
    await composer.getByText(words.status.sent.published(1)).waitFor();
    expect((await readStoredUpdates(site, newsroom)).map(textOf)).toEqual(['Better so']);
  });

  test('shows an invalid text at its field and keeps it', async ({ site, newsroom, openDesk }) => {
    const { composer, box } = await openDesk('reporter');
    await box.fill('x'.repeat(10_001));
    await box.press('Control+Enter');
    const sentence = words.problems.tooLong(10_001, 10_000);
    await expect.poll(() => composer.locator('.problem').innerText()).toBe(sentence);
    expect(await box.evaluate((field) => field === document.activeElement), 'the field has focus').toBe(true);
    expect(await box.getAttribute('aria-invalid')).toBe('true');
    expect(await readStoredUpdates(site, newsroom)).toEqual([]);
  });

  test('explains a refused update of an archived coverage, and opens its text again', async ({
    newsroom,
    openDesk,
  }) => {
    const { page, composer, box, nextRefetch, expectError } = await openDesk('reporter', { sockets: 'none' });
    expectError(/409|ERR_FAILED/);
    // No refetch may show the new state of the coverage before the command.
    await page.route('**/rest/v1/coverages?*', (route) => route.abort());
    await newsroom.setState('ended');
    await newsroom.setState('archived');
    await box.fill('Too late');
    await box.press('Control+Enter');
    const refused = page.locator('.outgoing-row[data-step="needs_you"]');
    await expect
      .poll(() => refused.locator('.refused').innerText())
      .toContain(errorMessages.coverage_not_publishing);
    await composer.getByText(outbox.needsYou).waitFor();
    await refused.getByRole('button', { name: outbox.open }).click();
    await expect.poll(() => refused.getByLabel(composing.body).inputValue()).toBe('Too late');
    await page.unroute('**/rest/v1/coverages?*');
    await nextRefetch();
    await expect
      .poll(() => composer.getByRole('button', { name: words.saving.publish }).isDisabled())
      .toBe(true);
  });
});

describe('ended session', () => {
  test('keeps the text and sends it after a sign-in in another tab', async ({ site, newsroom, openDesk }) => {
    const { page, composer, box, outliveToken, expectError } = await openDesk('reporter');
    expectError(/401/);
    await page.context().clearCookies();
    await outliveToken();
    await box.fill('Written at the wrong time');
    await box.press('Control+Enter');
    await page.locator('.outgoing').getByText(outbox.holdUps.session).waitFor();
    const other = await page.context().newPage();
    await signIn(other, newsroom.people.reporter);
    await other.close();
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await composer.getByText(words.status.sent.published(1)).waitFor();
    expect((await readStoredUpdates(site, newsroom)).map(textOf)).toEqual(['Written at the wrong time']);
  });

  test('hides the text from the next person on the device, and sends it only for its writer', async ({
    site,
    newsroom,
    openDesk,
  }) => {
    const { page, box, outliveToken, expectError } = await openDesk('reporter');
    expectError(/401/);
    await page.context().clearCookies();
    await outliveToken();
    await box.fill('Mine alone');
    await box.press('Control+Enter');
    await page.locator('.outgoing').getByText(outbox.holdUps.session).waitFor();
    await page.context().clearCookies();
    const other = await page.context().newPage();
    await signIn(other, newsroom.people.editor);
    const editorDesk = await goToDesk(other, newsroom);
    expect(await editorDesk.box.inputValue()).toBe('');
    expect(await other.locator('.outgoing').count()).toBe(0);
    // The first tab now belongs to the editor and shows nothing of the reporter.
    await page.waitForFunction(() => !document.querySelector('.outgoing'));
    await page.locator('.composer fieldset:not([disabled])').first().waitFor();
    expect(await box.inputValue()).toBe('');
    expect(await readStoredUpdates(site, newsroom)).toEqual([]);
    await page.context().clearCookies();
    await signIn(other, newsroom.people.reporter);
    await goToDesk(other, newsroom);
    await other.locator('.outgoing-row[data-step="live"]').getByText('Mine alone').waitFor();
    expect((await readStoredUpdates(site, newsroom)).map(textOf)).toEqual(['Mine alone']);
  });
});
