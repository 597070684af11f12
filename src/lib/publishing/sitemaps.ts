import { siteUrl } from '../data/environment.ts';
import { readerClient } from '../data/reader-client.server.ts';
import { dataOf } from '../data/result.ts';
import type { Site } from '../data/site.ts';
import { tipsPath } from '../data/tips.ts';
import { type Body, excerpt } from '../domain/body/blocks.ts';
import { livePath, timelinePath, updatePath } from '../domain/coverages.ts';
import { archivePath, correctionsPath, monthPath, personPath, topicPath } from '../domain/list-paths.ts';
import type { Messages } from '../i18n/messages.ts';
import { writeXml, type Xml } from './xml.ts';

/** A part of the publications of a month (`2026-11`, UTC), and the time of its last change. */
type SitemapMonth = { month: string; part: number; changed_at: string };

/** Pages that lead to coverages and updates, and coverages that have not begun. */
type SitemapPages = {
  changed_at: string | null;
  scheduled: { slug: string; changed_at: string | null }[];
  topics: { slug: string; changed_at: string | null }[];
  people: { handle: string; changed_at: string | null }[];
  /** Months of the archive. */
  months: string[];
};

type SitemapPart = {
  /** `ended`: the coverage has ended and has a timeline. */
  coverages: { slug: string; changed_at: string | null; ended: boolean }[];
  updates: { slug: string; number: number; changed_at: string }[];
};

/** A page published in the last two days: an update, or a coverage (`number` is null). */
type NewsPage = {
  slug: string;
  number: number | null;
  /** Null for an update without a headline. Its title is made from the body. */
  title: string | null;
  body: Body | null;
  coverage: string;
  language: string;
  published_at: string;
};

/** Maximum number of URLs in a news sitemap. */
const MAX_NEWS_URLS = 1000;

// The generated types do not know the shape of the functions' JSON.

export const readSitemapMonths = async () =>
  (await dataOf(readerClient().rpc('sitemap_parts'))) as unknown as SitemapMonth[];

export const readSitemapPages = async () =>
  (await dataOf(readerClient().rpc('sitemap_pages'))) as unknown as SitemapPages;

/** Returns the content of a part; null if it is empty. */
export async function readSitemapPart({
  month,
  part,
}: {
  month: string;
  part: number;
}): Promise<SitemapPart | null> {
  const content = await dataOf(readerClient().rpc('sitemap_part', { month: `${month}-01`, part }));
  const { coverages, updates } = content as unknown as SitemapPart;
  return coverages.length + updates.length > 0 ? { coverages, updates } : null;
}

export const readNewsPages = async () =>
  (await dataOf(readerClient().rpc('sitemap_news', { max_rows: MAX_NEWS_URLS }))) as unknown as NewsPage[];

/** A URL with the time of its last public change, if known. */
type SitemapEntry = { path: string; changedAt?: string | null };

/** A part of the sitemap: the general pages, or publications of a month (UTC). */
export type SitemapName = 'pages' | { month: string; part: number };

export const INDEX_PATH = '/sitemap.xml';
export const NEWS_PATH = '/sitemap-news.xml';

export const sitemapPath = (part: SitemapName): string => `/sitemaps/${partName(part)}.xml`;

/** Names of further parts of a month have a number: `2026-11`, `2026-11-2`. */
function partName(part: SitemapName): string {
  if (part === 'pages') return part;
  return part.part === 1 ? part.month : `${part.month}-${part.part}`;
}

/** Parses the name of a part; null if it is invalid. */
export function parseSitemapName(name: string): SitemapName | null {
  if (name === 'pages') return name;
  const [, month, part = '1'] = /^([12]\d{3}-(?:0[1-9]|1[0-2]))(?:-([2-9]|[1-9]\d{1,3}))?$/.exec(name) ?? [];
  return month ? { month, part: Number(part) } : null;
}

/** Returns the entries of the sitemap index. */
export const indexEntries = (
  months: SitemapMonth[],
  { changed_at }: Pick<SitemapPages, 'changed_at'>,
): SitemapEntry[] => [
  { path: sitemapPath('pages'), changedAt: changed_at },
  ...months.map(({ changed_at, ...part }) => ({ path: sitemapPath(part), changedAt: changed_at })),
];

/** Returns the pages that belong to no month. Only pages that show coverages have a time. */
export function listEntries({ changed_at, scheduled, topics, people, months }: SitemapPages): SitemapEntry[] {
  return [
    { path: '/', changedAt: changed_at },
    ...['/about', '/privacy', correctionsPath(), archivePath, tipsPath].map((path) => ({ path })),
    ...scheduled.map(({ slug, changed_at }) => ({ path: livePath(slug), changedAt: changed_at })),
    ...topics.map(({ slug, changed_at }) => ({ path: topicPath(slug), changedAt: changed_at })),
    ...people.map(({ handle, changed_at }) => ({ path: personPath(handle), changedAt: changed_at })),
    ...months.map((month) => ({ path: monthPath(month) })),
  ];
}

/** Returns the pages of a month's coverages and updates. */
export const partEntries = ({ coverages, updates }: SitemapPart): SitemapEntry[] => [
  ...coverages.flatMap(({ slug, changed_at, ended }) =>
    [livePath(slug), ...(ended ? [timelinePath(slug)] : [])].map((path) => ({ path, changedAt: changed_at })),
  ),
  ...updates.map(({ slug, number, changed_at }) => ({
    path: updatePath(slug, number),
    changedAt: changed_at,
  })),
];

export const newsPath = ({ slug, number }: Pick<NewsPage, 'slug' | 'number'>): string =>
  number === null ? livePath(slug) : updatePath(slug, number);

const NAMESPACE = { '@xmlns': 'http://www.sitemaps.org/schemas/sitemap/0.9' };

/** Maximum number of characters of a title made from the body. */
const TITLE_LENGTH = 110;

const entryOf = ({ path, changedAt }: SitemapEntry): Xml => ({
  loc: siteUrl(path),
  lastmod: changedAt ? new Date(changedAt).toISOString() : undefined,
});

/** Writes a sitemap index. */
export const writeIndex = (entries: SitemapEntry[]): string =>
  writeXml({ sitemapindex: { ...NAMESPACE, sitemap: entries.map(entryOf) } });

/** Writes a sitemap. */
export const writeSitemap = (entries: SitemapEntry[]): string =>
  writeXml({ urlset: { ...NAMESPACE, url: entries.map(entryOf) } });

/** Writes a news sitemap. */
export function writeNews(messages: Messages, news: NewsPage[], site: Pick<Site, 'name'>): string {
  const url = news.map((page) => ({
    loc: siteUrl(newsPath(page)),
    'news:news': {
      'news:publication': { 'news:name': site.name, 'news:language': newsLanguage(page.language) },
      'news:publication_date': new Date(page.published_at).toISOString(),
      'news:title': titleOf(messages, page),
    },
  }));
  return writeXml({
    urlset: { ...NAMESPACE, '@xmlns:news': 'http://www.google.com/schemas/sitemap-news/0.9', url },
  });
}

/** Returns the title of the update, or its beginning. */
function titleOf(messages: Messages, { title, body, number, coverage }: NewsPage): string {
  return title ?? (excerpt(body ?? [], TITLE_LENGTH) || messages.reader.updateOf(number ?? 0, coverage));
}

/** Returns the language code of Google News: ISO 639, with two variants of Chinese. */
export function newsLanguage(tag: string): string {
  try {
    const { language, script } = new Intl.Locale(tag).maximize();
    if (language !== 'zh') return language;
    return script === 'Hant' ? 'zh-tw' : 'zh-cn';
  } catch {
    return 'en';
  }
}

export function xmlResponse(xml: string, headers: Headers): Response {
  headers.set('Content-Type', 'application/xml; charset=utf-8');
  return new Response(xml, { headers });
}
