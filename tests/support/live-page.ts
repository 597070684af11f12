import type { Page } from 'playwright-core';

/** The environment of a site whose pages check for updates instead of using sockets. */
export const withoutSockets = { STOPPRESS_READER_SOCKETS: '0' };

/** A little more than the interval between two checks. */
const ONE_CHECK_MS = 10_500;

/** An open live page. */
export type LivePage = {
  page: Page;
  /** Returns the parts of the status line, joined by dots. */
  status(): Promise<string>;
  /** Advances the clock by one check, and waits for its response. */
  nextCheck(): Promise<void>;
  /** Returns the position of an update in the window. */
  positionOf(number: number): Promise<{ x: number; y: number; width: number }>;
  /** Scrolls an update to the top of the window. */
  scrollTo(number: number): Promise<void>;
  /** Returns the numbers of the updates, from top to bottom. */
  numbers(): Promise<number[]>;
  /** Returns the text of an update. */
  text(number: number): Promise<string>;
};

/**
 * Opens the live page of a coverage with a controlled clock, and waits until it follows.
 * @param before runs as soon as the page has loaded
 */
export async function openLivePage(
  page: Page,
  slug: string,
  before?: () => Promise<void>,
): Promise<LivePage> {
  await page.clock.install();
  const checked = page.waitForResponse(/\/changes\?after=/);
  await page.goto(`/live/${slug}`);
  await before?.();
  await checked;
  const article = (number: number) => page.locator(`#update-${number}`);
  const status = async () => (await page.locator('#status > *').allInnerTexts()).join(' · ');
  // The live feed removes the link for browsers without scripts.
  await page.locator('.check').waitFor({ state: 'detached' });
  return {
    page,
    status,
    async nextCheck() {
      const answered = page.waitForResponse(/\/changes\?after=/);
      await page.clock.fastForward(ONE_CHECK_MS);
      await answered;
    },
    async positionOf(number) {
      const box = await article(number).boundingBox();
      if (!box) throw new Error(`Update ${number} is not on the page.`);
      return box;
    },
    async scrollTo(number) {
      await article(number).evaluate((element) => element.scrollIntoView({ block: 'start' }));
    },
    numbers: () =>
      page.locator('#updates > article').evaluateAll((all) => all.map((one) => Number(one.dataset.number))),
    text: (number) => article(number).innerText(),
  };
}

/** Records layout shifts without user input, from the next navigation on. @returns a function that reads them */
export async function watchLayoutShifts(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const moved: string[] = [];
    Object.assign(window, { moved });
    type Shift = PerformanceEntry & {
      value: number;
      hadRecentInput: boolean;
      sources: { node: Node | null }[];
    };
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries() as Shift[]) {
        const parts = sources.map(({ node }) =>
          node instanceof Element ? node.outerHTML.slice(0, 60) : 'text',
        );
        if (!hadRecentInput) moved.push(`${value} ${parts.join(' | ')}`);
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  return () => page.evaluate(() => (window as unknown as { moved: string[] }).moved);
}

/** Counts the scripts that a page requests from now on. */
export function countScripts(page: Page): () => number {
  let asked = 0;
  page.on('request', (request) => {
    if (request.resourceType() === 'script') asked++;
  });
  return () => asked;
}

/** Returns the button that starts following on a poor connection. */
export const followLive = (page: Page) => page.getByRole('button', { name: /^Follow live \(\d+ KB\)$/ });

/** Simulates a tab that moves to the background or the foreground. */
export async function setVisibility(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate((now) => {
    Object.defineProperty(document, 'hidden', { configurable: true, value: now === 'hidden' });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);
}
