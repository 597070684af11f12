import type { RequestListener } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import inject from 'light-my-request';
import { nobodyAt } from './page-cache/render.ts';

/** Live coverages that the front page leads to: who comes first asks for one of them. */
const LIVE_PAGES = 8;
const LIVE = /href="(\/live\/[a-z0-9-]+)"/g;
/** So often, and so long, a page is asked for that cannot be made at the moment. In milliseconds. */
const AGAIN_MS = 500;
const LONGEST_MS = 60_000;

/**
 * Has the front page made, and what it leads to, before visitors come.
 * @returns whether that could be done: where it could not, whoever has pages of before answers better
 */
export async function warmPages(site: RequestListener, siteUrl: string): Promise<boolean> {
  const until = performance.now() + LONGEST_MS;
  const headers = nobodyAt(siteUrl);

  async function read(url: string): Promise<string | undefined> {
    for (;;) {
      const { statusCode, payload } = await inject(site, { method: 'GET', url, headers });
      if (statusCode < 500) return payload;
      if (performance.now() > until) return undefined;
      await wait(AGAIN_MS);
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
