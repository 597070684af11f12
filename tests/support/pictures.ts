import type { Browser } from 'playwright-core';
import { startDemo } from '../../src/lib/cli/demo/demo.ts';
import { FLOOD } from '../../src/lib/cli/demo/flood.ts';
import { DEMO_PASSWORD, PEOPLE } from '../../src/lib/cli/demo/people.ts';
import { launchChromium } from './chromium.ts';

/* Takes the two screenshots of the README: the live page on a phone, and the desk on a wide screen. */
const PHONE = { viewport: { width: 360, height: 780 }, deviceScaleFactor: 2 };
const SCREEN = { viewport: { width: 1280, height: 860 }, deviceScaleFactor: 1 };

async function pictureReader(browser: Browser, url: string): Promise<void> {
  const page = await browser.newPage(PHONE);
  await page.goto(`${url}/live/${FLOOD.slug}`);
  await page.screenshot({ path: 'docs/pictures/reader-360.png' });
}

async function pictureDesk(browser: Browser, url: string): Promise<void> {
  const page = await browser.newPage(SCREEN);
  await page.goto(`${url}/sign-in`);
  await page.fill('[name=email]', PEOPLE.editor.email);
  await page.fill('[name=password]', DEMO_PASSWORD);
  await page.press('[name=password]', 'Enter');
  await page.waitForURL(`${url}/desk`);
  await page.goto(`${url}/desk/${FLOOD.slug}`, { waitUntil: 'networkidle' });
  await page.screenshot({ path: 'docs/pictures/desk.png' });
}

const demo = await startDemo({ PORT: '0' });
const browser = await launchChromium();
try {
  await pictureReader(browser, demo.url);
  await pictureDesk(browser, demo.url);
} finally {
  await browser.close();
  await demo.stop();
}
