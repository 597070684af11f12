import type { RequestListener } from 'node:http';
import inject from 'light-my-request';
import { nobodyAt } from '../cache/render.ts';

/** Live coverages that the front page leads to: who comes first asks for one of them. */
const LIVE_PAGES = 8;
const LIVE = /href="(\/live\/[a-z0-9-]+)"/g;
/** Visitors wait no longer than this for what could be kept for them. */
const LONGEST_MS = 10_000;

/** Has the front page made, and what it leads to. What cannot be made now is made for whoever asks for it. */
export async function warmPages(site: RequestListener, siteUrl: string): Promise<void> {
  const late = AbortSignal.timeout(LONGEST_MS);
  const headers = nobodyAt(siteUrl);
  const read = async (url: string) =>
    (await inject(site, { method: 'GET', url, headers, signal: late })).payload;
  try {
    const front = await read('/');
    const live = new Set(Array.from(front.matchAll(LIVE), ([, path = '']) => path));
    for (const path of [...live].slice(0, LIVE_PAGES)) await read(path);
  } catch {
    // Nobody has asked for it yet.
  }
}
