import type { APIRoute } from 'astro';
import { cachedSite } from '../lib/data/site.ts';
import { declarePage, tags } from '../lib/http/cache-policy.ts';
import {
  indexEntries,
  readSitemapMonths,
  readSitemapPages,
  writeIndex,
  xmlResponse,
} from '../lib/publishing/sitemaps.ts';

/** The sitemap index: all parts with the time of their last change. */
export const GET: APIRoute = async () => {
  const [months, lists] = await Promise.all([readSitemapMonths(), readSitemapPages(), cachedSite()]);
  const entries = indexEntries(months, lists);
  const headers = new Headers();
  declarePage(headers, [tags.site, tags.sitemaps], 'sitemap', entries);
  return xmlResponse(writeIndex(entries), headers);
};
