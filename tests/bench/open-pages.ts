import type { Page } from 'playwright-core';
import { launchChromium } from '../support/chromium.ts';
import type { Endings } from './endings.ts';

export type OpenPage = {
  /** When the update appeared on the page, in ms since 1970. */
  seen(number: number): Promise<number>;
  close(): Promise<void>;
};

/** A busy machine may be slow, and a check may be an interval away. */
const LONGEST_MS = 30_000;

/** Opens and follows the live page in several browsers. */
export async function openPages(endings: Endings, address: string, pages: number): Promise<OpenPage[]> {
  const browser = endings.add(await launchChromium(), (chromium) => chromium.close());
  const open: OpenPage[] = [];
  for (let n = 0; n < pages; n++) {
    const context = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': `10.1.0.${n}` } });
    open.push(await watch(await context.newPage(), address));
  }
  return open;
}

async function watch(page: Page, address: string): Promise<OpenPage> {
  const checked = page.waitForResponse(/\/changes\?after=/);
  await page.goto(address);
  await checked;
  await page.evaluate(() => {
    const seen: Record<string, number> = {};
    Object.assign(window, { seen });
    new MutationObserver((mutations) => {
      for (const { addedNodes } of mutations) {
        for (const node of addedNodes) {
          if (node instanceof HTMLElement && node.matches('#updates > article')) {
            seen[node.dataset.number ?? ''] ??= Date.now();
          }
        }
      }
    }).observe(document.body, { childList: true, subtree: true });
  });
  return {
    async seen(number) {
      const appeared = await page.waitForFunction(
        (updateNumber) => (window as unknown as { seen: Record<string, number> }).seen[updateNumber],
        number,
        { timeout: LONGEST_MS },
      );
      return (await appeared.jsonValue()) as number;
    },
    close: () => page.context().close(),
  };
}
