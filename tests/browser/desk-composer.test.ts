import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { localTime } from '../../src/lib/domain/local-time.ts';
import { clockTime, shortDay } from '../../src/lib/domain/time.ts';
import { composer as composerWords } from '../../src/lib/i18n/en/composer.ts';
import { corrections } from '../../src/lib/i18n/en/corrections.ts';
import { desk as words } from '../../src/lib/i18n/en/desk.ts';
import { deskList } from '../../src/lib/i18n/en/desk-list.ts';
import { deskPhotos as deskPhotosMessages } from '../../src/lib/i18n/en/photos.ts';
import { expectNoAxeFindings } from '../support/browser.ts';
import { goToDesk, readStoredUpdates, test, textOf } from '../support/desk-page.ts';
import { call, paragraph } from '../support/newsroom.ts';
import { PIXEL } from '../support/photos.ts';

describe('drafts', () => {
  test('saves a draft, opens it again and publishes it', async ({ site, newsroom, openDesk }) => {
    const { composer, box, row } = await openDesk('reporter');
    await box.fill('Not sure yet');
    await composer.getByRole('button', { name: words.saving.save }).click();
    await composer.getByText(words.status.sent.draft).waitFor();
    await row('Not sure yet').getByRole('button', { name: words.actions.edit }).click();
    await row(words.updateStates.draft).getByLabel(composerWords.body).fill('Sure now');
    await row(words.updateStates.draft).getByRole('button', { name: words.saving.publish }).click();
    await row('Sure now').getByText(words.updateStates.published).waitFor();
    const updates = await readStoredUpdates(site, newsroom);
    expect(updates.map((update) => [textOf(update), update.version, update.number])).toEqual([
      ['Sure now', 2, 1],
    ]);
  });

  test('publishes with Ctrl and Enter, but not with Enter in a field of one line', async ({
    site,
    newsroom,
    openDesk,
  }) => {
    const { composer, box, row } = await openDesk('reporter');
    await box.fill('The gates');
    await composer.getByText(composerWords.more, { exact: true }).click();
    for (const label of [composerWords.headline, composerWords.attribution, composerWords.dateline]) {
      const field = composer.getByLabel(label);
      await field.fill('Harbour');
      await field.press('Enter');
    }
    await box.fill('The gates are shut');
    await composer.getByLabel(composerWords.headline).press('Control+Enter');
    await row('The gates are shut').getByText(words.updateStates.published).waitFor();
    const updates = await readStoredUpdates(site, newsroom);
    expect(updates.map((update) => [textOf(update), update.number])).toEqual([['The gates are shut', 1]]);
  });

  test("publishes a contributor's submission, and shows each state to both people", async ({
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
    await contributor.nextRefetch();
    await contributor.row('From the pier').getByText(words.updateStates.published).waitFor();
    // A contributor cannot change a published update, but can see its history.
    const remainingButtons = contributor.row('From the pier').getByRole('button');
    await expect.poll(() => remainingButtons.allTextContents()).toEqual([corrections.desk.history]);
    expect((await newsroom.publish()).number).toBe(2);
  });

  test('removes a spiked update from the list, and shows it under its filter', async ({
    openDesk,
    newsroom,
  }) => {
    const { page, row, nextRefetch } = await openDesk('editor');
    await call(newsroom.people.reporter.client, 'save_update', {
      coverage_id: newsroom.coverage.id,
      update_id: randomUUID(),
      content: { body: [paragraph('A rumour')] },
    });
    await nextRefetch();
    await row('A rumour').getByRole('button', { name: words.actions.spike }).click();
    await row('A rumour')
      .locator('.panel')
      .getByRole('button', { name: words.spike.confirm, exact: true })
      .click();
    await row('A rumour').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: deskList.filters.spiked }).click();
    await row('A rumour').getByText(words.updateStates.spiked).waitFor();
  });

  test('lists a scheduled update with its time, unschedules it, and publishes another at its time', async ({
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

  test('stores text of a page that is left before the device has written it, and clears it on request', async ({
    newsroom,
    openDesk,
  }) => {
    const { page, composer, box } = await openDesk('reporter');
    // A device so slow that it never answers.
    await page.evaluate(() => {
      IDBObjectStore.prototype.get = () => new EventTarget() as IDBRequest;
    });
    await box.fill('Half a thou');
    await goToDesk(page, newsroom);
    await expect.poll(() => box.inputValue()).toBe('Half a thou');
    const button = composer.getByRole('button', { name: composerWords.clear });
    const place = await button.boundingBox();
    await button.focus();
    expect(await button.boundingBox(), 'a focused button must not move').toEqual(place);
    await button.click();
    await goToDesk(page, newsroom);
    expect(await box.inputValue()).toBe('');
  });

  test('closes opened fields after publishing, and focuses the text field for the next update', async ({
    openDesk,
  }) => {
    const { page, composer, box, row } = await openDesk('reporter');
    await box.fill('The gates are shut');
    await composer.getByText(composerWords.more, { exact: true }).click();
    const headline = composer.getByLabel(composerWords.headline);
    await headline.fill('Shut');
    const source = composer.getByLabel(composerWords.attribution);
    await source.fill('The harbour master');
    await source.press('Control+Enter');
    await row('The gates are shut').getByText(words.updateStates.published).waitFor();
    expect(await source.isVisible()).toBe(false);
    expect(await headline.inputValue()).toBe('');
    await expect.poll(() => box.evaluate((field) => field === document.activeElement)).toBe(true);

    // The composer shrinks on a phone when another part is used, but not while a button is pressed.
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    const edit = row('The gates are shut').getByRole('button', { name: words.actions.edit });
    await edit.hover();
    const place = await edit.boundingBox();
    await page.mouse.down();
    expect(await edit.boundingBox(), 'a pressed button must not move').toEqual(place);
    await page.mouse.up();
    await row('The gates are shut').locator('.panel').waitFor();
  });
});

test('edits, pastes, undoes and publishes text with its options in the composer', async ({
  site,
  newsroom,
  openDesk,
}) => {
  const { page, composer, box } = await openDesk('reporter');
  const { people } = newsroom;
  const tool = (name: string) => composer.getByRole('toolbar').getByRole('button', { name });

  await box.pressSequentially('gates');
  await box.press('ControlOrMeta+a');
  await box.press('ControlOrMeta+b');
  expect(await box.inputValue()).toBe('**gates**');
  await box.press('ControlOrMeta+z');
  expect(await box.inputValue()).toBe('gates');
  await tool(composerWords.tools.bold).focus();
  await page.keyboard.press('ArrowRight');
  expect(await tool(composerWords.tools.italic).evaluate((tool) => tool === document.activeElement)).toBe(
    true,
  );
  await page.keyboard.press('Enter');
  expect(await box.inputValue()).toBe('*gates*');
  await box.press('End');
  await box.press('Enter');
  await tool(composerWords.tools.list).click();
  for (const typed of ['one', 'Enter', 'two', 'Enter', 'Enter']) {
    if (typed === 'Enter') await page.keyboard.press('Enter');
    else await page.keyboard.type(typed);
  }
  expect(await box.inputValue()).toBe('*gates*\n- one\n- two\n\n');

  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const copy = (html: string, plain: string) =>
    page.evaluate(
      async ([html = '', plain = '']) => {
        const types = { 'text/html': html, 'text/plain': plain };
        const parts = Object.entries(types).map(([type, text]) => [type, new Blob([text], { type })]);
        await navigator.clipboard.write([new ClipboardItem(Object.fromEntries(parts))]);
      },
      [html, plain],
    );
  await box.focus();
  await copy('<p><b>Shut</b> since <script>x</script>5</p><p>Police</p>', 'Shut since 5');
  await box.press('ControlOrMeta+v');
  expect(await box.inputValue()).toBe('*gates*\n- one\n- two\n\n**Shut** since 5\n\nPolice');
  await box.press('ControlOrMeta+z');
  await box.press('ControlOrMeta+Shift+v');
  expect(await box.inputValue()).toBe('*gates*\n- one\n- two\n\nShut since 5');
  await box.press('Shift+Home');
  await copy('', 'https://e.example/shut');
  await box.press('ControlOrMeta+v');
  expect(await box.inputValue()).toBe('*gates*\n- one\n- two\n\n[Shut since 5](https://e.example/shut)');

  const paste = (parts: { html?: string; text?: string; bytes?: number[] }) =>
    box.evaluate((area, { html = '', text = '', bytes }) => {
      const clipboardData = new DataTransfer();
      if (text) clipboardData.setData('text/plain', text);
      if (html) clipboardData.setData('text/html', html);
      const file = bytes && new File([Uint8Array.from(bytes)], 'gate.png', { type: 'image/png' });
      if (file) clipboardData.items.add(file);
      area.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, parts);
  await paste({ html: '<style>b{}</style><b style="font-weight:normal" id=x> by <i>Tom</i></b>' });
  expect(await box.inputValue()).toMatch(/shut\)by \*Tom\*$/);
  await box.press('ControlOrMeta+z');
  await paste({
    text: '<blockquote class="twitter-tweet"><p dir="ltr">Stay in.</p>&mdash; Ana (@ana) <a href="https://x.com/ana/status/20?s=1">May 1</a></blockquote> <script async src="https://platform.twitter.com/widgets.js"></script>',
  });
  expect(await box.inputValue()).toMatch(
    /shut\)\n\n> Stay in\.\n> — \[Ana\]\(https:\/\/x\.com\/ana\/status\/20 "@ana X \/[\dTZ:-]+"\)$/,
  );
  await box.press('ControlOrMeta+z');
  await paste({ bytes: [...PIXEL] });
  await composer.getByLabel(deskPhotosMessages.alt).fill('The gate');
  await composer.getByRole('button', { name: composerWords.photoPlaces.into }).click();
  expect(await box.inputValue()).toMatch(/shut\)\n\n\[photo 1\]$/);
  await page.keyboard.type('\nAfter it');

  await composer.getByText(composerWords.more, { exact: true }).click();
  await composer.getByLabel(composerWords.verification).selectOption('unverified');
  await composer.getByLabel(composerWords.dateline).fill('Harrow Bridge');
  await composer.getByLabel(composerWords.bylines.choose).selectOption(people.editor.id);
  await composer.getByRole('button', { name: composerWords.bylines.add }).click();
  const when = composer.getByLabel(composerWords.occurred_at('Europe/Dublin'));
  const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();
  await when.fill(localTime(hours(5), 'Europe/Dublin'));
  await box.press('ControlOrMeta+Enter');
  await composer.locator('.problem', { hasText: composerWords.notYetHappened }).waitFor();
  expect(await when.evaluate((field) => field === document.activeElement), 'the field has focus').toBe(true);
  const past = localTime(hours(-5), 'Europe/Dublin');
  await when.fill(past);
  await composer.getByText(composerWords.more, { exact: true }).click();
  await composer.locator('.filled', { hasText: `${composerWords.verifications.unverified}` }).waitFor();
  await box.press('ControlOrMeta+Enter');
  await expect
    .poll(async () => (await readStoredUpdates(site, newsroom))[0])
    .toMatchObject({
      state: 'published',
      verification: 'unverified',
      dateline: 'Harrow Bridge',
      body: [
        { type: 'paragraph', runs: [{ text: 'gates', italic: true }] },
        { type: 'list', items: [[{ text: 'one' }], [{ text: 'two' }]] },
        { type: 'paragraph', runs: [{ text: 'Shut since 5', link: 'https://e.example/shut' }] },
        { type: 'photo' },
        { type: 'paragraph', runs: [{ text: 'After it' }] },
      ],
    });
  const [update] = await readStoredUpdates(site, newsroom);
  expect(localTime(update?.occurred_at ?? '', 'Europe/Dublin')).toBe(past);
  const { data } = await site.service
    .from('update_bylines')
    .select('person_id')
    .eq('update_id', update?.id ?? '');
  expect(data).toEqual([{ person_id: people.editor.id }]);

  await expect.poll(() => box.inputValue()).toBe('');
  await box.fill('Next');
  await composer.locator('.filled', { hasText: 'Harrow Bridge' }).waitFor();

  await page.setViewportSize({ width: 360, height: 330 });
  await page.getByRole('button', { name: composerWords.continueDraft('Next') }).click();
  for (const part of [
    box,
    composer.getByRole('toolbar'),
    composer.getByRole('button', { name: words.saving.publish }),
  ]) {
    const { y, height } = (await part.boundingBox()) ?? { y: -1, height: 0 };
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y + height).toBeLessThanOrEqual(330);
  }
  await box.press('Escape');
  await box.waitFor({ state: 'hidden' });
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.locator('h1').evaluate(() => (document.activeElement as HTMLElement).blur());
  await page.keyboard.press('?');
  const keys = page.getByRole('region', { name: composerWords.shortcuts.title });
  expect(await keys.evaluate((panel) => panel === document.activeElement), 'the panel has focus').toBe(true);
  await composer.getByText(composerWords.more, { exact: true }).click();
  await composer.getByText(composerWords.preview, { exact: true }).click();
  await expectNoAxeFindings(page);
  await keys.getByLabel(composerWords.shortcuts.on).uncheck();
  await page.keyboard.press('Escape');
  await keys.waitFor({ state: 'detached' });
  await page.keyboard.press('n');
  expect(await box.evaluate((area) => area === document.activeElement), 'switched off').toBe(false);
  await page.reload();
  await page.locator('.composer fieldset:not([disabled])').first().waitFor();
  await page.getByRole('button', { name: composerWords.shortcuts.open }).click();
  await keys.getByLabel(composerWords.shortcuts.on).check();
  await page.keyboard.press('Escape');
  await page.keyboard.press('n');
  expect(await box.evaluate((area) => area === document.activeElement), 'the area has focus').toBe(true);
});
