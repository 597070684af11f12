import { Readable } from 'node:stream';
import {
  ErrorLevel,
  SitemapIndexStream,
  type SitemapItemLoose,
  SitemapStream,
  streamToPromise,
} from 'sitemap';
import { excerpt } from '../body/text.ts';
import { siteUrl } from '../site/address.ts';
import type { Site } from '../site/read.ts';
import { reader as words } from '../text/reader.ts';
import { type Entry, newsPath } from './parts.ts';
import type { News } from './read.ts';

const level = ErrorLevel.THROW;
const PLAIN = { news: false, xhtml: false, image: false, video: false };

/** Characters of a title that an update without a headline is given. */
const TITLE = 110;

/** A sitemap of sitemaps. */
export async function writeIndex(entries: Entry[]): Promise<string> {
  const items = entries.map(({ path, changedAt }) => ({
    url: siteUrl(path),
    ...(changedAt && { lastmod: changedAt }),
  }));
  return String(await streamToPromise(Readable.from(items).pipe(new SitemapIndexStream({ level }))));
}

/** A sitemap of addresses. */
export const writeAddresses = (entries: Entry[]): Promise<string> =>
  write(
    entries.map(({ path, changedAt }) => ({ url: siteUrl(path), ...(changedAt && { lastmod: changedAt }) })),
    PLAIN,
  );

/** A sitemap of news, which may have nothing in it: the library knows none such. */
export async function writeNews(news: News[], site: Pick<Site, 'name'>): Promise<string> {
  if (news.length === 0) {
    return '<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>';
  }
  const items = news.map((one) => ({
    url: siteUrl(newsPath(one)),
    news: {
      publication: { name: site.name, language: newsLanguage(one.language) },
      publication_date: new Date(one.published_at).toISOString(),
      title: titleOf(one),
    },
  }));
  return write(items, { ...PLAIN, news: true });
}

async function write(items: SitemapItemLoose[], xmlns: typeof PLAIN): Promise<string> {
  return String(await streamToPromise(Readable.from(items).pipe(new SitemapStream({ level, xmlns }))));
}

/** As the update's own page calls it, or as it begins. */
function titleOf({ title, body, number, coverage }: News): string {
  return title ?? (excerpt(body ?? [], TITLE) || words.updateOf(number ?? 0, coverage));
}

/** A language as news are told in: ISO 639, but for the two ways in which Chinese is written. */
export function newsLanguage(tag: string): string {
  try {
    const { language, script } = new Intl.Locale(tag).maximize();
    if (language !== 'zh') return language;
    return script === 'Hant' ? 'zh-tw' : 'zh-cn';
  } catch {
    return 'en';
  }
}
