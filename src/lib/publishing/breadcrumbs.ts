import type { BreadcrumbList } from 'schema-dts';
import { type Site, type SitePlace, siteClock } from '../data/site.ts';
import { siteUrl } from '../data/site-address.ts';
import { livePath, updatePath } from '../domain/coverages.ts';
import { archivePath, monthPath, topicPath } from '../domain/list-paths.ts';
import type { ReaderCoverage } from '../domain/reader-coverage.ts';
import { dayKey, monthName } from '../domain/time.ts';
import type { Messages } from '../i18n/messages.ts';
import { monthStart } from './archive-list.ts';

/** A page on the way from the front page, with its title. */
type Breadcrumb = { name: string; path: string };

/** Returns the structured data of the breadcrumbs, from the front page to the page itself. */
export function breadcrumbList(
  site: Pick<Site, 'name'>,
  breadcrumbs: Breadcrumb[],
): Exclude<BreadcrumbList, string> {
  return {
    '@type': 'BreadcrumbList',
    itemListElement: [{ name: site.name, path: '/' }, ...breadcrumbs].map(({ name, path }, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name,
      item: siteUrl(path),
    })),
  };
}

type NamedCoverage = Pick<ReaderCoverage, 'slug' | 'headline' | 'topics' | 'published_at'>;

/** Returns the breadcrumbs of a coverage: by its first topic, or else by the month of the archive in which it began. */
export function breadcrumbsTo(
  messages: Messages,
  { slug, headline, topics, published_at }: NamedCoverage,
  site: SitePlace,
): Breadcrumb[] {
  const [topic] = topics;
  const month = published_at && dayKey(published_at, siteClock(site)).slice(0, 7);
  return [
    ...(topic ? [{ name: topic.name, path: topicPath(topic.slug) }] : []),
    ...(!topic && month ? breadcrumbsToMonth(messages, month, site) : []),
    { name: headline, path: livePath(slug) },
  ];
}

/** @param month `2026-11`, in the site's time zone */
export const breadcrumbsToMonth = (messages: Messages, month: string, site: SitePlace): Breadcrumb[] => [
  { name: messages.archive.title, path: archivePath },
  { name: monthName(monthStart(month, siteClock(site)), siteClock(site)), path: monthPath(month) },
];

/**
 * Returns the breadcrumbs of an update.
 * @param name title of the update
 */
export const breadcrumbsToUpdate = (
  messages: Messages,
  coverage: NamedCoverage,
  number: number,
  name: string,
  site: SitePlace,
): Breadcrumb[] => [
  ...breadcrumbsTo(messages, coverage, site),
  { name, path: updatePath(coverage.slug, number) },
];
