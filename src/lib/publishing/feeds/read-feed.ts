import { readerClient } from '../../data/reader-client.server.ts';
import { dataOf } from '../../data/result.ts';
import type { Site } from '../../data/site.ts';
import { readUpdatesBetween, readUpdatesById } from '../../data/updates.ts';
import { livePath } from '../../domain/coverages.ts';
import type { FeedBase, FeedFormat } from '../../domain/list-paths.ts';
import type { ReaderPhoto } from '../../domain/photos.ts';
import { hasEnded, type ReaderCoverage } from '../../domain/reader-coverage.ts';
import type { ReaderUpdate } from '../../domain/updates.ts';
import type { Messages } from '../../i18n/messages.ts';
import { writeAtom } from './atom.ts';
import {
  archiveCount,
  archivedNumbers,
  byChange,
  entryId,
  FEED_ENTRIES,
  type FeedCoverage,
  type FeedDocument,
  isTombstone,
  type MakeUrl,
  newestEntries,
  type RenderBody,
  toEntry,
} from './feed.ts';
import { writeJsonFeed } from './json-feed.ts';

type Publisher = Pick<Site, 'name' | 'publisher'>;

const publisherName = ({ publisher, name }: Publisher): string => publisher || name;

/** Creates a document of a coverage's feed. */
export function coverageDocument(
  coverage: ReaderCoverage,
  site: Publisher,
  updates: DatedUpdates,
): FeedDocument {
  const photo = leadPhotoOf(coverage, updates);
  const { id, slug, headline, standfirst, language, state, published_at, revised_at, starts_at } = coverage;
  return {
    id,
    title: headline,
    subtitle: standfirst,
    language,
    base: `/live/${slug}` satisfies FeedBase,
    home: livePath(slug),
    publisher: publisherName(site),
    ...(photo && { photo }),
    since: published_at ?? revised_at ?? starts_at ?? UNKNOWN_START,
    entries: byChange(updates.map(({ update, at }) => toEntry(update, coverage, at))),
    hasEnded: hasEnded(state),
    isMixed: false,
  };
}

/** Number of the newest key events whose photos may lead. */
const LEAD_KEY_EVENTS = 3;

/** Returns the lead photo that was chosen; otherwise the first photo of the newest key events of the document. */
function leadPhotoOf({ lead }: ReaderCoverage, updates: DatedUpdates): ReaderPhoto | undefined {
  if (lead) return lead;
  return updates
    .map(({ update }) => update)
    .filter(({ key_event }) => key_event)
    .sort((a, b) => b.number - a.number)
    .slice(0, LEAD_KEY_EVENTS)
    .find(({ photos }) => photos.length > 0)?.photos[0];
}

/** Time of a feed whose start is unknown: Atom requires one. */
const UNKNOWN_START = '1970-01-01T00:00:00Z';

/** Returns the newest document of a coverage's feed. */
export async function newestDocument(coverage: ReaderCoverage, site: Publisher): Promise<FeedDocument> {
  const archives = archiveCount(coverage.update_count);
  const { last } = archivedNumbers(archives);
  const document = coverageDocument(coverage, site, await readNewest(coverage, last));
  const isArchived = (entry: FeedDocument['entries'][number]) =>
    (isTombstone(entry) ? (entry.position?.number ?? 0) : entry.update.number) <= last;
  return {
    ...document,
    entries: newestEntries(document.entries, isArchived),
    ...(archives > 0 && { older: String(archives) }),
  };
}

/** Returns an archived document of a coverage; null if there is none with this number. */
export async function archivedDocument(
  coverage: ReaderCoverage,
  site: Publisher,
  archive: number,
): Promise<FeedDocument | null> {
  const archives = archiveCount(coverage.update_count);
  if (archive > archives) return null;
  return {
    ...coverageDocument(coverage, site, await readArchived(coverage.id, archive)),
    archive: String(archive),
    ...(archive > 1 && { older: String(archive - 1) }),
    ...(archive < archives && { newer: String(archive + 1) }),
  };
}

/** Returns all updates in one document, for a coverage folder. It has no archived documents. */
export async function completeDocument(coverage: ReaderCoverage, site: Publisher): Promise<FeedDocument> {
  const updates: DatedUpdates = [];
  // The last part is incomplete or empty.
  for (let archive = 1; archive <= archiveCount(coverage.update_count) + 1; archive++) {
    updates.push(...(await readArchived(coverage.id, archive)));
  }
  return coverageDocument(coverage, site, updates);
}

/** Writes a document in one of the formats. */
export function writeFeed(
  messages: Messages,
  format: FeedFormat,
  document: FeedDocument,
  draw: RenderBody,
  at: MakeUrl,
): string {
  return format === 'atom'
    ? writeAtom(messages, document, draw, at)
    : writeJsonFeed(messages, document, draw, at);
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
  const archived = new Set(list.entries.filter((entry) => entry.in_archive).map(({ id }) => id));
  const base: FeedBase = topic ? `/topics/${topic.slug}` : '';
  return {
    id: topic?.id ?? siteId ?? '',
    title: topic ? `${topic.name} · ${site.name}` : site.name,
    subtitle: topic ? topic.description : site.tagline,
    language: site.language,
    base,
    home: base || '/',
    publisher: publisherName(site),
    since: UNKNOWN_START,
    entries: archive ? entries : newestEntries(entries, (entry) => archived.has(entryId(entry))),
    archive,
    older: list.older ?? undefined,
    newer: list.newer ?? undefined,
    hasEnded: false,
    isMixed: true,
  };
}

/** Updates withdrawn between the two reads are left out or become tombstones. */
async function readEntries({ entries }: FeedList): Promise<FeedDocument['entries']> {
  const published = entries.filter((entry) => !entry.coverage_withdrawn);
  const [updates, coverages] = await Promise.all([
    readUpdatesById(published.map(({ id }) => id)),
    readFeedCoverages([...new Set(published.map(({ coverage }) => coverage))]),
  ]);
  const byId = new Map<string, ReaderUpdate>(updates.map((update) => [update.id, update]));
  return entries.flatMap(({ id, at, coverage_withdrawn: isWithdrawn, coverage: of }) => {
    if (isWithdrawn) return [{ id, at, reason: null, position: null }];
    const [update, coverage]: [ReaderUpdate | undefined, FeedCoverage | undefined] = [
      byId.get(id),
      coverages.get(of),
    ];
    return update && coverage ? [toEntry(update, coverage, at)] : [];
  });
}

/** Number of changes that are searched for the last 50 changed updates. */
const SEARCHED_CHANGES = 100;

/** Updates with the time of their last public change, including photos that were added later. */
type DatedUpdates = { update: ReaderUpdate; at: string }[];

/** Returns the updates in an archived document of a coverage. */
function readArchived(coverageId: string, archive: number): Promise<DatedUpdates> {
  const { first, last } = archivedNumbers(archive);
  return readUpdatesBetween(coverageId, first, last).then((updates) => withChangeTimes(coverageId, updates));
}

/** Returns the last changed updates of a coverage, and all with numbers above `above`. */
async function readNewest({ id, seq, update_count }: ReaderCoverage, above: number): Promise<DatedUpdates> {
  const [open, changes] = await Promise.all([
    readUpdatesBetween(id, above + 1, update_count),
    dataOf(
      readerClient()
        .from('coverage_changes')
        .select('update_id')
        .eq('coverage_id', id)
        .not('update_id', 'is', null)
        .neq('kind', 'pin')
        // A range instead of a limit: the planner uses the index even without statistics.
        .gt('seq', seq - SEARCHED_CHANGES)
        .order('seq', { ascending: false }),
    ),
  ]);
  const known = new Set(open.map((update) => update.id));
  const changed = [...new Set(changes.flatMap(({ update_id }) => update_id ?? []))].slice(0, FEED_ENTRIES);
  const others = await readUpdatesById(changed.filter((update) => !known.has(update)));
  return withChangeTimes(id, [...open, ...others]);
}

/** For unchanged updates, the time is that of publication, which an import may have set. */
async function withChangeTimes(coverageId: string, updates: ReaderUpdate[]): Promise<DatedUpdates> {
  if (updates.length === 0) return [];
  const changes = await dataOf(
    readerClient()
      .from('coverage_changes')
      .select('seq, at')
      .eq('coverage_id', coverageId)
      .neq('kind', 'publication')
      .in(
        'seq',
        updates.map(({ seq }) => seq),
      ),
  );
  const times = new Map(changes.map(({ seq, at }) => [seq, at]));
  return updates.map((update) => ({ update, at: times.get(update.seq) ?? update.published_at }));
}

/** An entry in the feed of the site or a topic, before its update is read. */
type ListEntry = {
  id: string;
  coverage: string;
  at: string;
  coverage_withdrawn: boolean;
  in_archive: boolean;
};

/** Content of a document with several coverages; null if there is no such document. */
type FeedList = { entries: ListEntry[]; older: string | null; newer: string | null };

/** @param archive validated name of an archived document */
async function readList(topicId: string | null, archive?: string): Promise<FeedList | null> {
  const [month, part = '1'] = archive?.split('.') ?? [];
  const parameters = {
    ...(topicId !== null && { topic_id: topicId }),
    ...(month && { month: `${month}-01`, part: Number(part) }),
    size: FEED_ENTRIES,
  };
  return (await dataOf(readerClient().rpc('feed_updates', parameters))) as FeedList | null;
}

/** Returns the feed fields of coverages by id. */
async function readFeedCoverages(ids: string[]): Promise<Map<string, FeedCoverage>> {
  if (ids.length === 0) return new Map();
  const rows = await dataOf(
    readerClient()
      .from('coverages')
      .select('id, slug, headline, language, time_zone, topics!coverage_topics(slug, name)')
      .in('id', ids),
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns the permanent id of the site's feed. */
async function readFeedId(): Promise<string> {
  const { feed_id } = await dataOf(readerClient().from('site').select('feed_id').single());
  return feed_id;
}
