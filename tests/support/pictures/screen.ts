import type { Page } from 'playwright-core';
import type { PEOPLE } from '../../../src/lib/cli/demo/people.ts';

/** The newsrooms of the pictures: the demo, one that was just set up, and one before its setup. */
export type NewsroomName = 'demo' | 'new' | 'unset';

/** A screen of the product in one state. */
export type Screen = {
  name: string;
  path: string;
  /** Role of the signed-in person. Without a role, a visitor opens the screen. */
  as?: keyof typeof PEOPLE;
  newsroom?: NewsroomName;
  /** The only device that has this state. */
  only?: 'phone' | 'wide';
  /** Brings the page into the state that the picture shows. */
  prepare?(page: Page): Promise<unknown>;
  /** Removes what the state left behind for other screens of the role. Called after the pictures. */
  restore?(page: Page): Promise<unknown>;
};

export type ScreenGroup = { title: string; screens: Screen[] };

/** Returns a function that returns the texts in turn, so that the pictures do not show one update several times. */
export function inTurn(...texts: string[]): () => string {
  let calls = 0;
  return () => texts[calls++ % texts.length] ?? '';
}

export const nextUpdate = inTurn(
  'The pump in Mill Lane has started again. Crews expect the dip to be dry by noon.',
  'Crews have closed one of the two lock gates. Boats can pass again from three.',
  'The library has dry socks and tea. It stays open until the water falls.',
  'Buses to Hallam stop at the bridge again. Those to the mill still do not.',
  'The swans are back on the river, below the rowing club.',
  'The market moves to Church Hill on Thursday. Stalls open at eight.',
);

export const press = (selector: string) => (page: Page) => page.locator(selector).first().click();

/** Waits until the islands have started. An island in closed details starts only when they are opened. */
export async function settle(page: Page): Promise<void> {
  await page.waitForFunction(() => !document.querySelector('astro-island[ssr]:not(details *)'));
}

export async function writeUpdate(page: Page): Promise<void> {
  const opener = page.locator('.open-composer > button').first();
  if (await opener.isVisible()) await opener.click();
  await page.locator('.composer textarea[name="body"]').fill(nextUpdate());
}

/** Discards what was typed at the desk, because the device stores it for other screens of the role. */
export async function discard(page: Page): Promise<void> {
  const button = page.locator('.press > .actions > .quiet:visible').first();
  if (!(await button.isVisible())) return;
  await button.click();
  // The page stores its state when it is left.
  await page.goto('about:blank');
}
