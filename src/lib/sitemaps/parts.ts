import { correctionsPath } from '../corrections/address.ts';
import { livePath, timelinePath, updatePath } from '../coverage/address.ts';
import { archivePath, monthPath, personPath, topicPath } from '../lists/address.ts';
import { tipsPath } from '../tips/tip.ts';
import type { Found, Lists, Month, News } from './read.ts';

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
