import { Readable } from 'node:stream';
import {
  ErrorLevel,
  SitemapIndexStream,
  type SitemapItemLoose,
  SitemapStream,
  streamToPromise,
} from 'sitemap';
import { readerClient } from '../data/reader-client.server.ts';
import { dataOf } from '../data/result.ts';
import type { Site } from '../data/site.ts';
import { siteUrl } from '../data/site-address.ts';
import { tipsPath } from '../data/tip-form.ts';
import { type Body, excerpt } from '../domain/body/blocks.ts';
import { livePath, timelinePath, updatePath } from '../domain/coverages.ts';
import { archivePath, correctionsPath, monthPath, personPath, topicPath } from '../domain/list-paths.ts';
import { reader as words } from '../i18n/reader.ts';

/** A part of what was published in a month (`2026-11`, UTC), and when it changed. */
export type Month = { month: string; part: number; changed_at: string };

/** What leads to coverages and updates. Of a coverage that has not begun its page says when it will. */
export type Lists = {
  changed_at: string | null;
  scheduled: { slug: string; changed_at: string | null }[];
  topics: { slug: string; changed_at: string | null }[];
  people: { handle: string; changed_at: string | null }[];
  /** Months of the archive. */
  months: string[];
};

export type Found = {
  /** `over`: nothing more is expected, and its days are told on a page. */
  coverages: { slug: string; changed_at: string | null; over: boolean }[];
  updates: { slug: string; number: number; changed_at: string }[];
};

/** A page that came in the last two days: an update's, or a coverage's, which has no number. */
export type News = {
  slug: string;
  number: number | null;
  /** Of an update without a headline its body says what it is about. */
  title: string | null;
  body: Body | null;
  coverage: string;
  language: string;
  published_at: string;
};

/** Addresses that a sitemap of news may have. */
const NEWS_URLS = 1000;

// The functions answer in JSON, whose shape the types of the database cannot tell.

export const readMonths = async () =>
  (await dataOf(readerClient().rpc('sitemap_parts'))) as unknown as Month[];

export const readLists = async () => (await dataOf(readerClient().rpc('sitemap_pages'))) as unknown as Lists;

/** What stands in a part; null where nothing does. */
export async function readFound({ month, part }: { month: string; part: number }): Promise<Found | null> {
  const found = await dataOf(readerClient().rpc('sitemap_part', { month: `${month}-01`, part }));
  const { coverages, updates } = found as unknown as Found;
  return coverages.length + updates.length > 0 ? { coverages, updates } : null;
}

export const readNews = async () =>
  (await dataOf(readerClient().rpc('sitemap_news', { most: NEWS_URLS }))) as unknown as News[];

/** An address with the moment at which readers last saw it change, where that is known. */
export type Entry = { path: string; changedAt?: string | null };

/** Which part of the sitemap is meant: what leads to everything, or what was published in a month (UTC). */
export type Part = 'pages' | { month: string; part: number };

export const INDEX = '/sitemap.xml';
export const NEWS = '/sitemap-news.xml';

export const partPath = (part: Part): string => `/sitemaps/${partName(part)}.xml`;

/** A month with more than one part holds names them after the first: `2026-11`, `2026-11-2`. */
function partName(part: Part): string {
  if (part === 'pages') return part;
  return part.part === 1 ? part.month : `${part.month}-${part.part}`;
}

/** The part with a name; null where there can be none. */
export function readPart(name: string): Part | null {
  if (name === 'pages') return name;
  const [, month, part = '1'] = /^([12]\d{3}-(?:0[1-9]|1[0-2]))(?:-([2-9]|[1-9]\d{1,3}))?$/.exec(name) ?? [];
  return month ? { month, part: Number(part) } : null;
}

/** The parts that there are. */
export const indexEntries = (months: Month[], { changed_at }: Pick<Lists, 'changed_at'>): Entry[] => [
  { path: partPath('pages'), changedAt: changed_at },
  ...months.map(({ changed_at, ...part }) => ({ path: partPath(part), changedAt: changed_at })),
];

/** Pages that belong to no month; a moment is told of those alone whose words change with the coverages on them. */
export function listEntries({ changed_at, scheduled, topics, people, months }: Lists): Entry[] {
  return [
    { path: '/', changedAt: changed_at },
    ...['/about', '/privacy', correctionsPath(), archivePath, tipsPath].map((path) => ({ path })),
    ...scheduled.map(({ slug, changed_at }) => ({ path: livePath(slug), changedAt: changed_at })),
    ...topics.map(({ slug, changed_at }) => ({ path: topicPath(slug), changedAt: changed_at })),
    ...people.map(({ handle, changed_at }) => ({ path: personPath(handle), changedAt: changed_at })),
    ...months.map((month) => ({ path: monthPath(month) })),
  ];
}

/** What was published in a month: coverages, and those of their updates that have something to be found by. */
export const foundEntries = ({ coverages, updates }: Found): Entry[] => [
  ...coverages.flatMap(({ slug, changed_at, over }) =>
    [livePath(slug), ...(over ? [timelinePath(slug)] : [])].map((path) => ({ path, changedAt: changed_at })),
  ),
  ...updates.map(({ slug, number, changed_at }) => ({
    path: updatePath(slug, number),
    changedAt: changed_at,
  })),
];

export const newsPath = ({ slug, number }: Pick<News, 'slug' | 'number'>): string =>
  number === null ? livePath(slug) : updatePath(slug, number);

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

export function xmlAnswer(xml: string, headers: Headers): Response {
  headers.set('Content-Type', 'application/xml; charset=utf-8');
  return new Response(xml, { headers });
}
