import type { Locator, Page } from 'playwright-core';
import type { TipActionName } from '../../src/lib/domain/tips.ts';
import { tipQueue as words } from '../../src/lib/i18n/en/tip-queue.ts';
import { test as base } from '../support/browser.ts';
import { call, callServer, createUser, type Newsroom, type Person } from '../support/newsroom.ts';
import { signInWithoutForm } from '../support/sign-in.ts';

/** An open tip queue. */
export type Screen = {
  page: Page;
  row(text: string): Locator;
  /** Clicks an action of a row. */
  press(row: Locator, act: TipActionName): Promise<void>;
  expectError(words: RegExp): void;
};

export const test = base
  // A second moderator, named Bea.
  .extend('bea', { scope: 'file' }, async ({ site }) => {
    const bea = await createUser(site, 'moderator');
    await call(bea.client, 'save_me', { content: { display_name: 'Bea Quist' } });
    return bea;
  })
  .extend('openQueue', ({ visit }) => async (person: Person, path = '/desk/tips'): Promise<Screen> => {
    const { page, expectError } = await visit();
    await signInWithoutForm(page, person);
    await page.goto(path);
    await page.getByText(words.connection.hears('').trim()).waitFor();
    return {
      page,
      expectError,
      row: (text) => page.locator('.tip-row', { hasText: text }),
      press: (row, act) => row.getByRole('button', { name: new RegExp(`^${words.acts[act]}:`) }).click(),
    };
  });

/** The tip as the database stores it. */
export async function storedTip(people: Newsroom['people'], id: string) {
  const filters = { ids: [id], view: 'all' };
  const [tip] = await callServer<Record<string, unknown>[]>(people.owner.client, 'tip_queue', {
    filters,
  });
  return tip;
}

/** Accessible name of the focused row. */
export const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
