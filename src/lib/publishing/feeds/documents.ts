import type { Site } from '../../data/site.ts';
import { readUpdatesById } from '../../data/updates.ts';
import { livePath } from '../../domain/coverages.ts';
import type { FeedBase, FeedFormat } from '../../domain/feed-paths.ts';
import { hasEnded, type ReaderCoverage } from '../../domain/reader-coverage.ts';
import type { ReaderUpdate } from '../../domain/updates.ts';
import { writeAtom } from './atom.ts';
import {
  type Addressing,
  archivesOf,
  byChange,
  cutNewest,
  type Draw,
  type FeedCoverage,
  type FeedDocument,
  idOf,
  isGone,
  numbersIn,
  toEntry,
} from './document.ts';
import { writeJsonFeed } from './json-feed.ts';
import {
  type Dated,
  type List,
  readArchived,
  readFeedCoverages,
  readFeedId,
  readList,
  readNewest,
} from './read.ts';

type Publisher = Pick<Site, 'name' | 'publisher'>;

export const publisherOf = ({ publisher, name }: Publisher): string => publisher || name;

/** Creates a document of a coverage's feed. */
export function coverageDocument(coverage: ReaderCoverage, site: Publisher, updates: Dated): FeedDocument {
  const { id, slug, headline, standfirst, language, state, published_at, revised_at, starts_at } = coverage;
  return {
    id,
    title: headline,
    subtitle: standfirst,
    language,
    base: `/live/${slug}` satisfies FeedBase,
    home: livePath(slug),
    publisher: publisherOf(site),
    since: published_at ?? revised_at ?? starts_at ?? BEGINNING,
    entries: byChange(updates.map(({ update, at }) => toEntry(update, coverage, at))),
    isOver: hasEnded(state),
    isMixed: false,
  };
}

/** Time of a feed whose start is unknown: Atom requires one. */
export const BEGINNING = '1970-01-01T00:00:00Z';

/** Returns the newest document of a coverage's feed. */
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

/** Returns an archived document of a coverage; null if there is none with this number. */
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

/** Returns all updates in one document, for a coverage folder. It has no archived documents. */
export async function wholeDocument(coverage: ReaderCoverage, site: Publisher): Promise<FeedDocument> {
  const updates: Dated = [];
  // The last part is incomplete or empty.
  for (let archive = 1; archive <= archivesOf(coverage.update_count) + 1; archive++) {
    updates.push(...(await readArchived(coverage.id, archive)));
  }
  return coverageDocument(coverage, site, updates);
}

/** Writes a document in one of the formats. */
export function writeFeed(format: FeedFormat, document: FeedDocument, draw: Draw, at: Addressing): string {
  return format === 'atom' ? writeAtom(document, draw, at) : writeJsonFeed(document, draw, at);
}

type Topic = { id: string; slug: string; name: string; description: string };

/** Returns a document of the feed of the site or a topic; null if there is none with this name. */
export async function listDocument(
  site: Site,
  topic: Topic | null,
  archive?: string,
): Promise<FeedDocument | null> {
  const [list, siteId] = await Promise.all([
    readList(topic?.id ?? null, archive),
    topic ? undefined : readFeedId(),
  ]);
  if (!list) return null;
  const entries = byChange(await readEntries(list));
  const archived = new Set(list.entries.filter((entry) => entry.archived).map(({ id }) => id));
  const base: FeedBase = topic ? `/topics/${topic.slug}` : '';
  return {
    id: topic?.id ?? siteId ?? '',
    title: topic ? `${topic.name} · ${site.name}` : site.name,
    subtitle: topic ? topic.description : site.tagline,
    language: site.language,
    base,
    home: base || '/',
    publisher: publisherOf(site),
    since: BEGINNING,
    entries: archive ? entries : cutNewest(entries, (entry) => archived.has(idOf(entry))),
    archive,
    older: list.older ?? undefined,
    newer: list.newer ?? undefined,
    isOver: false,
    isMixed: true,
  };
}

/** Updates withdrawn between the two reads are left out or become tombstones. */
async function readEntries({ entries }: List): Promise<FeedDocument['entries']> {
  const standing = entries.filter(({ gone }) => !gone);
  const [updates, coverages] = await Promise.all([
    readUpdatesById(standing.map(({ id }) => id)),
    readFeedCoverages([...new Set(standing.map(({ coverage }) => coverage))]),
  ]);
  const byId = new Map<string, ReaderUpdate>(updates.map((update) => [update.id, update]));
  return entries.flatMap(({ id, at, gone, coverage: of }) => {
    if (gone) return [{ id, at, reason: null, place: null }];
    const [update, coverage]: [ReaderUpdate | undefined, FeedCoverage | undefined] = [
      byId.get(id),
      coverages.get(of),
    ];
    return update && coverage ? [toEntry(update, coverage, at)] : [];
  });
}
