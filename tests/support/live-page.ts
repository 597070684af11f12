import type { Page } from 'playwright-core';

/** The environment of a site whose readers follow by checks. */
export const withoutSockets = { STOPPRESS_READER_SOCKETS: '0' };

/** Seconds between checks, and a little more. */
const ONE_CHECK_MS = 10_500;

/** An open live page, as its reader has it before them. */
export type LivePage = {
  page: Page;
  /** The parts of the status line, parted by dots as they are to be seen. */
  status(): Promise<string>;
  /** Lets the time of one check pass, and waits until its answer has come. */
  nextCheck(): Promise<void>;
  /** Where an update's article is in the window. */
  positionOf(number: number): Promise<{ x: number; y: number; width: number }>;
  /** Scrolls so that an update is at the top of the window. */
  scrollTo(number: number): Promise<void>;
  /** The numbers on the page from top to bottom. */
  numbers(): Promise<number[]>;
  /** The text of an update. */
  text(number: number): Promise<string>;
};

/**
 * Opens the live page of a coverage, with its clock in our hands, and waits until it is followed.
 * @param before what its reader does as soon as the page is there
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
  // What stood there for those without a script.
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

/** From the next page on: what moved without its reader having done anything, as browsers count it (layout shift). */
export async function watchShifts(page: Page): Promise<() => Promise<string[]>> {
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

/** Counts the scripts that a page asks for from now on. */
export function countScripts(page: Page): () => number {
  let asked = 0;
  page.on('request', (request) => {
    if (request.resourceType() === 'script') asked++;
  });
  return () => asked;
}

/** The press that has a page followed where the line is poor. */
export const followLive = (page: Page) => page.getByRole('button', { name: /^Follow live \(\d+ KB\)$/ });

/** What a browser does when its tab goes to the back or comes to the front. */
export async function setVisibility(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate((now) => {
    Object.defineProperty(document, 'hidden', { configurable: true, value: now === 'hidden' });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);
}
