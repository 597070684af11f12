import { livePath } from '../coverage/address.ts';
import { isOver, type ReaderCoverage } from '../coverage/coverage.ts';
import type { Site } from '../site/read.ts';
import type { Base, Format } from './address.ts';
import { writeAtom } from './atom.ts';
import { archivesOf, cutNewest, numbersIn } from './cuts.ts';
import { type Addressing, byChange, type Draw, type FeedDocument, isGone, toEntry } from './document.ts';
import { writeJsonFeed } from './json-feed.ts';
import { type Dated, readArchived, readNewest } from './read.ts';

type Publisher = Pick<Site, 'name' | 'publisher'>;

export const publisherOf = ({ publisher, name }: Publisher): string => publisher || name;

/** A document of a coverage's feed that holds these updates. */
export function coverageDocument(coverage: ReaderCoverage, site: Publisher, updates: Dated): FeedDocument {
  const { id, slug, headline, standfirst, language, state, published_at, revised_at, starts_at } = coverage;
  return {
    id,
    title: headline,
    subtitle: standfirst,
    language,
    base: `/live/${slug}` satisfies Base,
    home: livePath(slug),
    publisher: publisherOf(site),
    since: published_at ?? revised_at ?? starts_at ?? BEGINNING,
    entries: byChange(updates.map(({ update, at }) => toEntry(update, coverage, at))),
    isOver: isOver(state),
    isMixed: false,
  };
}

/** Of what nobody knows when it began: it must say some time. */
export const BEGINNING = '1970-01-01T00:00:00Z';

/** The newest document of a coverage's feed. */
export async function newestDocument(coverage: ReaderCoverage, site: Publisher): Promise<FeedDocument> {
  const archives = archivesOf(coverage.update_count);
  const { last } = numbersIn(archives);
  const document = coverageDocument(coverage, site, await readNewest(coverage, last));
  const isArchived = (entry: FeedDocument['entries'][number]) =>
    (isGone(entry) ? (entry.place?.number ?? 0) : entry.update.number) <= last;
  return {
    ...document,
    entries: cutNewest(document.entries, isArchived),
    ...(archives > 0 && { older: String(archives) }),
  };
}

/** One of its archive; null where there is none of that name. */
export async function archivedDocument(
  coverage: ReaderCoverage,
  site: Publisher,
  archive: number,
): Promise<FeedDocument | null> {
  const archives = archivesOf(coverage.update_count);
  if (archive > archives) return null;
  return {
    ...coverageDocument(coverage, site, await readArchived(coverage.id, archive)),
    archive: String(archive),
    ...(archive > 1 && { older: String(archive - 1) }),
    ...(archive < archives && { newer: String(archive + 1) }),
  };
}

/** All of it in one document, for a copy that is kept: it has no archive. */
export async function wholeDocument(coverage: ReaderCoverage, site: Publisher): Promise<FeedDocument> {
  const updates: Dated = [];
  // The last part is not full, or empty.
  for (let archive = 1; archive <= archivesOf(coverage.update_count) + 1; archive++) {
    updates.push(...(await readArchived(coverage.id, archive)));
  }
  return coverageDocument(coverage, site, updates);
}

/** A document of a feed as the text of a file. */
export function writeFeed(format: Format, document: FeedDocument, draw: Draw, at: Addressing): string {
  return format === 'atom' ? writeAtom(document, draw, at) : writeJsonFeed(document, draw, at);
}
