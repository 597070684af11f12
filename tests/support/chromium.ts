import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const INSTALLED = '/usr/bin/chromium';

/** Nothing in a test may call home, and a container has neither a sandbox nor a graphics card. */
export const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A real Chromium: the machine's own, or else the one that npm brought along. */
export async function launchChromium(flags: string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: await chromiumPath(), args: [...FLAGS, ...flags] });
}

export async function chromiumPath(): Promise<string> {
  if (existsSync(INSTALLED)) return INSTALLED;
  const { default: packaged } = await import('@sparticuz/chromium');
  return packaged.executablePath();
}
