import type { Browser } from 'playwright-core';

/** In ms since the start of navigation. */
export type Paint = {
  /** First contentful paint. */
  first: number;
  /** Largest contentful paint until the page has loaded. */
  largest: number;
};

/** The screen of a phone. */
const PHONE = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2 };

/** Paint times of a first visit, without cache and connections. */
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
