import type { APIRoute } from 'astro';
import { cachedSite } from '../lib/data/site.ts';
import { declarePage, tags } from '../lib/http/cache-policy.ts';
import { messagesFor } from '../lib/i18n/messages.server.ts';
import { readNewsPages, writeNews, xmlResponse } from '../lib/publishing/sitemaps.ts';

/** The Google News sitemap: content of the last two days. */
export const GET: APIRoute = async () => {
  const [news, site] = await Promise.all([readNewsPages(), cachedSite()]);
  const headers = new Headers();
  declarePage(headers, [tags.site, tags.sitemaps], 'news', site.name, news);
  return xmlResponse(writeNews(messagesFor(site.language), news, site), headers);
};
