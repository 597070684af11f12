import type { RequestListener } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import inject from 'light-my-request';
import { siteHeaders } from './page-cache/render.ts';

/** Maximum number of live coverages that are rendered in advance. */
const LIVE_PAGES = 8;
const LIVE = /href="(\/live\/[a-z0-9-]+)"/g;
/** Retry interval and time limit of a page that fails, in milliseconds. */
const RETRY_MS = 500;
const TIMEOUT_MS = 60_000;

/**
 * Renders the front page and the live pages that it links to, before the first visitors arrive.
 * @returns false when a page could not be rendered in time; then an old server with cached pages should keep the port
 */
export async function warmPages(site: RequestListener, siteUrl: string): Promise<boolean> {
  const until = performance.now() + TIMEOUT_MS;
  const headers = siteHeaders(siteUrl);

  async function read(url: string): Promise<string | undefined> {
    for (;;) {
      const { statusCode, payload } = await inject(site, { method: 'GET', url, headers });
      if (statusCode < 500) return payload;
      if (performance.now() > until) return undefined;
      await wait(RETRY_MS);
    }
  }

  const front = await read('/');
  if (front === undefined) return false;
  const live = new Set(Array.from(front.matchAll(LIVE), ([, path = '']) => path));
  for (const path of [...live].slice(0, LIVE_PAGES)) {
    if ((await read(path)) === undefined) return false;
  }
  return true;
}
