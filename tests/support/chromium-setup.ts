import type { TestProject } from 'vitest/node';
import { launchChromium } from './chromium.ts';

/** Features of this machine's Chromium. The build from npm has no notifications and cannot install a site. */
export type ChromiumFeatures = { notifications: boolean; installing: boolean };

declare module 'vitest' {
  interface ProvidedContext {
    chromium: ChromiumFeatures;
  }
}

/** Detects the features of Chromium once, for the tests that need them. */
export async function setup({ provide }: TestProject): Promise<() => void> {
  const features = await probe();
  provide('chromium', features);
  const missing = [
    !features.notifications && 'alerts on a device',
    !features.installing && 'installing the site',
  ].filter(Boolean);
  return () => {
    if (missing.length === 0) return;
    console.log(
      `Skipped: tests of ${missing.join(' and ')}. They need a full Chromium (Debian: apt-get install chromium).`,
    );
  };
}

async function probe(): Promise<ChromiumFeatures> {
  const browser = await launchChromium();
  try {
    const context = await browser.newContext({ permissions: ['notifications'] });
    const page = await context.newPage();
    await page.route('**', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
    await page.goto('https://site.example/');
    const session = await context.newCDPSession(page);
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
    return {
      notifications: await page.evaluate(() => Notification.permission === 'granted'),
      // A page without a manifest cannot be installed. Only a browser that supports installing reports this.
      installing: installabilityErrors.some(({ errorId }) => errorId === 'no-manifest'),
    };
  } finally {
    await browser.close();
  }
}
