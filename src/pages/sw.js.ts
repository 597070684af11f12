import { leaving, worker } from 'virtual:offline-worker';
import type { APIRoute } from 'astro';
import { readSite } from '../lib/data/site.ts';
import { declarePage, tags } from '../lib/http/cache-policy.ts';
import { follow } from '../lib/i18n/follow.ts';

/** What it may reach: the site, and nothing else. */
const POLICY = "default-src 'none'; connect-src 'self'";

/**
 * The service worker, or what takes it away again where the newsroom wants no copies on devices. Browsers ask for it
 * with every visit, so the switch acts at the next one.
 */
export const GET: APIRoute = async () => {
  const { keeps_copies, name, language } = await readSite();
  // In development a page must never be older than its source.
  const text = keeps_copies && !import.meta.env.DEV ? worker : leaving;
  const headers = new Headers({
    'Content-Type': 'text/javascript; charset=utf-8',
    'Content-Security-Policy': POLICY,
  });
  declarePage(headers, [tags.site], text, name, language);
  // A worker that differs is installed anew, and fetches the pages anew that show the newsroom's name.
  const newsroom = { name, lang: language, unread: follow.unread };
  return new Response(`Object.assign(globalThis, ${JSON.stringify({ newsroom })});\n${text}`, { headers });
};
