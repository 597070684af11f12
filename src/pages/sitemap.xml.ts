import type { APIRoute } from 'astro';
import { declarePage, tags } from '../lib/http/cache.ts';
import { readSite } from '../lib/site/read.ts';
import { xmlAnswer } from '../lib/sitemaps/answer.ts';
import { indexEntries } from '../lib/sitemaps/parts.ts';
import { readLists, readMonths } from '../lib/sitemaps/read.ts';
import { writeIndex } from '../lib/sitemaps/write.ts';

/** Where search engines begin: the parts of the sitemap, each with when it changed. */
export const GET: APIRoute = async () => {
  const [months, lists] = await Promise.all([readMonths(), readLists(), readSite()]);
  const entries = indexEntries(months, lists);
  const headers = new Headers();
  declarePage(headers, [tags.site, tags.lists], 'sitemap', entries);
  return xmlAnswer(await writeIndex(entries), headers);
};
