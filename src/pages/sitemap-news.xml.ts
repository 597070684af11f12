import type { APIRoute } from 'astro';
import { declarePage, tags } from '../lib/http/cache.ts';
import { readSite } from '../lib/site/read.ts';
import { xmlAnswer } from '../lib/sitemaps/answer.ts';
import { readNews } from '../lib/sitemaps/read.ts';
import { writeNews } from '../lib/sitemaps/write.ts';

/** What came in the last two days. */
export const GET: APIRoute = async () => {
  const [news, site] = await Promise.all([readNews(), readSite()]);
  const headers = new Headers();
  declarePage(headers, [tags.site, tags.lists], 'news', site.name, news);
  return xmlAnswer(await writeNews(news, site), headers);
};
