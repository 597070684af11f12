import { leaving, worker } from 'virtual:offline-worker';
import type { APIRoute } from 'astro';
import { readSite } from '../lib/data/site.ts';
import { declarePage, tags } from '../lib/http/cache-policy.ts';
import { messagesFor } from '../lib/i18n/messages.server.ts';

/** The worker may connect only to the site. */
const POLICY = "default-src 'none'; connect-src 'self'";

/**
 * The readers' service worker, or a script that removes it if the owner turned saved pages off. Browsers check it with
 * every visit, so the setting takes effect at the next one.
 */
export const GET: APIRoute = async () => {
  const { offline_pages, name, language } = await readSite();
  // In development saved pages would hide changes of the source.
  const text = offline_pages && !import.meta.env.DEV ? worker : leaving;
  const headers = new Headers({
    'Content-Type': 'text/javascript; charset=utf-8',
    'Content-Security-Policy': POLICY,
  });
  declarePage(headers, [tags.site], text, name, language);
  // A changed worker is installed again and renews the offline page, which shows the site's name.
  const newsroom = { name, lang: language, unread: messagesFor(language).follow.unread };
  return new Response(`Object.assign(globalThis, ${JSON.stringify({ newsroom })});\n${text}`, { headers });
};
