import { describe, expect } from 'vitest';
import { composer as words } from '../../src/lib/i18n/en/composer.ts';
import { desk } from '../../src/lib/i18n/en/desk.ts';
import { expectNoAxeFindings, PHONE } from '../support/browser.ts';
import { goToDesk, test } from '../support/desk-page.ts';

describe('the composer on a phone', () => {
  test('fills the screen, keeps its text when it is closed, and moves the focus in and back', async ({
    newsroom,
    openDesk,
  }) => {
    const { page, composer, box } = await openDesk('reporter', { viewport: PHONE });
    const opener = page.getByRole('button', { name: words.placeholder });
    const isFocused = (element: typeof box) => element.evaluate((field) => field === document.activeElement);
    expect(await composer.isVisible()).toBe(false);
    await opener.click();
    await expect.poll(() => isFocused(box)).toBe(true);
    expect(await composer.boundingBox()).toEqual({ x: 0, y: 0, ...PHONE });
    await box.fill('Half a thou');
    await expectNoAxeFindings(page);

    await page.goBack();
    await composer.waitFor({ state: 'hidden' });
    const draft = page.getByRole('button', { name: words.continueDraft('Half a thou') });
    await expect.poll(() => isFocused(draft)).toBe(true);
    await expectNoAxeFindings(page);

    await draft.click();
    await box.pressSequentially('ght');
    await page.reload();
    await expect.poll(() => box.inputValue()).toBe('Half a thought');
    await box.press('Escape');
    await composer.waitFor({ state: 'hidden' });
    expect(new URL(page.url()).pathname).toBe(`/desk/${newsroom.coverage.slug}`);

    await goToDesk(page, newsroom, PHONE);
    await page.getByRole('button', { name: words.continueDraft('Half a thought') }).click();
    await page.setViewportSize({ width: 360, height: 330 });
    for (const part of [box, composer.getByRole('button', { name: desk.saving.publish })]) {
      const { y, height } = (await part.boundingBox()) ?? { y: -1, height: 0 };
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y + height).toBeLessThanOrEqual(330);
    }
  });

  test('gives its place to an update that is edited, until going back', async ({ newsroom, openDesk }) => {
    await newsroom.publish();
    const { page, composer, joined } = await openDesk('editor', { viewport: PHONE });
    await joined();
    await page.locator('[data-action="edit"]').first().click();
    const panel = page.locator('.panel.full-screen');
    await panel.getByLabel(words.body).fill('The gates are shut');
    expect(await panel.boundingBox()).toEqual({ x: 0, y: 0, ...PHONE });
    expect(await composer.isVisible()).toBe(false);
    await page.goBack();
    await panel.waitFor({ state: 'detached' });
    await page.locator('[data-action="edit"]').first().click();
    await expect.poll(() => panel.getByLabel(words.body).inputValue()).toBe('The gates are shut');
  });
});
