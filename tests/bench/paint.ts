import type { Browser } from 'playwright-core';

/** In ms since the navigation began. */
export type Paint = {
  /** The first words or pictures. */
  first: number;
  /** The largest block of text or picture until the page was loaded. */
  largest: number;
};

/** A phone's screen. */
const PHONE = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2 };

/** When a page is painted for somebody who was never there: nothing kept, no connection open. */
export async function paintOf(browser: Browser, url: string): Promise<Paint> {
  const context = await browser.newContext(PHONE);
  try {
    const page = await context.newPage();
    await page.goto(url, { waitUntil: 'load' });
    return await page.evaluate(async () => {
      const times = (type: string) =>
        new Promise<number[]>((resolve) => {
          new PerformanceObserver((list) =>
            resolve(list.getEntries().map(({ startTime }) => startTime)),
          ).observe({
            type,
            buffered: true,
          });
        });
      const [first, largest] = await Promise.all(['paint', 'largest-contentful-paint'].map(times));
      return { first: Math.max(...(first ?? [])), largest: Math.max(...(largest ?? [])) };
    });
  } finally {
    await context.close();
  }
}
