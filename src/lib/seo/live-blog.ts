import type { BlogPosting, CorrectionComment, LiveBlogPosting, NewsArticle, Person } from 'schema-dts';
import { photoIds } from '../body/blocks.ts';
import { bodyText, excerpt } from '../body/text.ts';
import { livePath, updatePath } from '../coverage/address.ts';
import { clockOf, type ReaderCoverage } from '../coverage/coverage.ts';
import { PHOTO_WIDTHS, photoPath } from '../photos/photo.ts';
import { siteUrl } from '../site/address.ts';
import type { Site } from '../site/read.ts';
import { type Clock, zonedTime } from '../time/clock.ts';
import type { Byline, ReaderUpdate } from '../updates/update.ts';
import { authorOf, publisherOf } from './newsroom.ts';

/** Characters of a headline that an update without one is given here: the vocabulary asks for one. */
const HEADLINE = 110;

/** Updates that a live page tells of here. Older ones were told of when they were new, and have pages of their own. */
const TOLD = 10;

/** Photos of a live page that stand for it. */
const PICTURES = 3;

/** The picture that is drawn of a coverage: its path. */
export type Drawn = { path: string };

const timeOf = (at: string | null, clock: Clock) => (at ? zonedTime(at, clock) : undefined);

/** A live page for search engines: schema.org's LiveBlogPosting with the newest updates that stand on the page. */
export function liveBlogPosting(
  coverage: ReaderCoverage,
  updates: ReaderUpdate[],
  site: Site,
  card: Drawn,
): Exclude<LiveBlogPosting, string> {
  const url = siteUrl(livePath(coverage.slug));
  const clock = clockOf(coverage);
  const published = updates.filter(({ state }) => state === 'published');
  const changed = lastChange(coverage, updates);
  return {
    '@type': 'LiveBlogPosting',
    '@id': url,
    url,
    mainEntityOfPage: url,
    headline: coverage.headline,
    description: coverage.standfirst || undefined,
    articleSection: coverage.kicker || undefined,
    ...aboutOf(coverage),
    inLanguage: coverage.language,
    image: [siteUrl(card.path), ...published.flatMap(picturesOf).slice(0, PICTURES)],
    datePublished: timeOf(coverage.published_at, clock),
    dateModified: changed && zonedTime(changed, clock),
    coverageStartTime: timeOf(coverage.starts_at ?? coverage.published_at, clock),
    coverageEndTime: timeOf(coverage.ended_at, clock),
    author: authorOf(site),
    publisher: publisherOf(site),
    liveBlogUpdate: published.slice(0, TOLD).map((update) => posting(coverage, update, site)),
  };
}

/** The page of an update that is to be found: an article of its own, and a part of the live page. */
export function newsArticle(
  coverage: ReaderCoverage,
  update: ReaderUpdate,
  site: Site,
  card: Drawn,
): Exclude<NewsArticle, string> {
  const { '@type': _, ...told } = posting(coverage, update, site);
  const live = siteUrl(livePath(coverage.slug));
  const article: Exclude<NewsArticle, string> = {
    '@type': 'NewsArticle',
    ...told,
    mainEntityOfPage: siteUrl(updatePath(coverage.slug, update.number)),
    image: [...picturesOf(update), siteUrl(card.path)],
    articleSection: coverage.kicker || undefined,
    ...aboutOf(coverage),
    dateline: update.dateline ?? undefined,
    inLanguage: coverage.language,
    publisher: publisherOf(site),
    isPartOf: { '@type': 'LiveBlogPosting', '@id': live, url: live, headline: coverage.headline },
  };
  return article;
}

function posting(coverage: ReaderCoverage, update: ReaderUpdate, site: Site) {
  const url = siteUrl(updatePath(coverage.slug, update.number));
  const clock = clockOf(coverage);
  const pictures = picturesOf(update);
  const told = {
    '@type': 'BlogPosting',
    '@id': url,
    url,
    headline: update.headline ?? excerpt(update.body, HEADLINE, update.photos),
    datePublished: timeOf(update.published_at, clock),
    dateModified: timeOf(update.revised_at, clock),
    articleBody: bodyText(update.body),
    image: pictures.length > 0 ? pictures : undefined,
    correction: correctionsOf(update, clock),
    author: update.bylines.length > 0 ? update.bylines.map(personOf) : authorOf(site),
  } as const satisfies BlogPosting;
  return told;
}

/** Somebody whose name stands under what they wrote. */
export function personOf({ handle, display_name }: Byline): Exclude<Person, string> {
  const url = siteUrl(`/people/${handle}`);
  return { '@type': 'Person', '@id': url, name: display_name, url };
}

/** What was corrected or made clear, as schema.org has it. */
function correctionsOf({ notes }: ReaderUpdate, clock: Clock): CorrectionComment[] | undefined {
  if (notes.length === 0) return undefined;
  return notes.map(({ note, at }) => ({
    '@type': 'CorrectionComment',
    text: note,
    datePublished: zonedTime(at, clock),
  }));
}

function aboutOf({ topics }: ReaderCoverage) {
  if (topics.length === 0) return {};
  return {
    about: topics.map(
      ({ slug, name }) => ({ '@type': 'Thing', name, url: siteUrl(`/topics/${slug}`) }) as const,
    ),
    keywords: topics.map(({ name }) => name),
  };
}

function picturesOf({ body, photos }: ReaderUpdate): string[] {
  const shown = new Set(photos.map(({ id }) => id));
  return photoIds(body)
    .filter((id) => shown.has(id))
    .map((id) => siteUrl(photoPath(id, PHOTO_WIDTHS[2])));
}

/** When what stands on the page changed for the last time: by moments, because the database has parts of a second. */
function lastChange(coverage: ReaderCoverage, updates: ReaderUpdate[]): Date | undefined {
  const times = [
    coverage.published_at,
    coverage.revised_at,
    coverage.summary_at,
    coverage.ended_at,
    ...updates.flatMap((update) => [update.published_at, update.revised_at, update.withdrawn_at]),
  ].flatMap((at) => (at ? [Date.parse(at)] : []));
  return times.length > 0 ? new Date(Math.max(...times)) : undefined;
}
