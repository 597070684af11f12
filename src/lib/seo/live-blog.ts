import { photoIds } from '../body/blocks.ts';
import { bodyText, excerpt } from '../body/text.ts';
import { livePath, updatePath } from '../coverage/address.ts';
import type { ReaderCoverage } from '../coverage/coverage.ts';
import { PHOTO_WIDTHS, photoPath } from '../photos/photo.ts';
import { siteUrl } from '../site/address.ts';
import type { Site } from '../site/read.ts';
import { machineTime } from '../time/clock.ts';
import type { ReaderUpdate } from '../updates/update.ts';

/** Characters of a headline that an update without one is given here: the vocabulary asks for one. */
const HEADLINE = 110;

const timeOf = (at: string | null) => (at ? machineTime(at) : undefined);
const publisherOf = (site: Site) => ({
  '@type': 'NewsMediaOrganization',
  name: site.publisher || site.name,
  url: siteUrl('/'),
});

/** Updates that a live page tells of here. Older ones were told of when they were new, and have pages of their own. */
const TOLD = 10;

/** A live page for search engines: schema.org's LiveBlogPosting with the newest updates that stand on the page. */
export function liveBlogPosting(coverage: ReaderCoverage, updates: ReaderUpdate[], site: Site): object {
  const url = siteUrl(livePath(coverage.slug));
  const published = updates.filter(({ state }) => state === 'published');
  return {
    '@context': 'https://schema.org',
    '@type': 'LiveBlogPosting',
    '@id': url,
    url,
    mainEntityOfPage: url,
    headline: coverage.headline,
    description: coverage.standfirst || undefined,
    inLanguage: coverage.language,
    datePublished: timeOf(coverage.published_at),
    dateModified: lastChange(coverage, updates),
    coverageStartTime: timeOf(coverage.starts_at),
    coverageEndTime: timeOf(coverage.ended_at),
    author: publisherOf(site),
    publisher: publisherOf(site),
    liveBlogUpdate: published.slice(0, TOLD).map((update) => posting(coverage, update, site)),
  };
}

/** One update for search engines. */
export function updatePosting(coverage: ReaderCoverage, update: ReaderUpdate, site: Site): object {
  return {
    '@context': 'https://schema.org',
    ...posting(coverage, update, site),
    inLanguage: coverage.language,
    correction: correctionsOf(update),
    publisher: publisherOf(site),
    isPartOf: { '@type': 'LiveBlogPosting', '@id': siteUrl(livePath(coverage.slug)) },
  };
}

/** What was corrected or made clear, as schema.org has it; a live page leaves it to the page of the update. */
function correctionsOf({ notes }: ReaderUpdate) {
  if (notes.length === 0) return undefined;
  return notes.map(({ note, at }) => ({
    '@type': 'CorrectionComment',
    text: note,
    datePublished: machineTime(at),
  }));
}

function posting(coverage: ReaderCoverage, update: ReaderUpdate, site: Site) {
  const url = siteUrl(updatePath(coverage.slug, update.number));
  const people = update.bylines.map(({ handle, display_name }) => ({
    '@type': 'Person',
    name: display_name,
    url: siteUrl(`/people/${handle}`),
  }));
  const shown = new Set(update.photos.map(({ id }) => id));
  const images = photoIds(update.body)
    .filter((id) => shown.has(id))
    .map((id) => siteUrl(photoPath(id, PHOTO_WIDTHS[2])));
  return {
    '@type': 'BlogPosting',
    '@id': url,
    url,
    headline: update.headline ?? excerpt(update.body, HEADLINE, update.photos),
    datePublished: timeOf(update.published_at),
    dateModified: timeOf(update.revised_at),
    articleBody: bodyText(update.body),
    image: images.length > 0 ? images : undefined,
    author: people.length > 0 ? people : publisherOf(site),
  };
}

function lastChange(coverage: ReaderCoverage, updates: ReaderUpdate[]): string | undefined {
  const times = [
    coverage.published_at,
    coverage.revised_at,
    coverage.summary_at,
    ...updates.flatMap((update) => [update.published_at, update.revised_at, update.withdrawn_at]),
  ];
  const moments = times.flatMap((at) => (at ? [machineTime(at)] : []));
  return moments.sort().at(-1);
}
