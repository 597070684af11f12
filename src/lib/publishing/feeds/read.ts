import { readerClient } from '../../data/reader-client.server.ts';
import { dataOf } from '../../data/result.ts';
import { readUpdatesBetween, readUpdatesById } from '../../data/updates.ts';
import type { ReaderCoverage } from '../../domain/reader-coverage.ts';
import type { ReaderUpdate } from '../../domain/updates.ts';
import { archivedNumbers, FEED_ENTRIES, type FeedCoverage } from './document.ts';

/** Number of changes that are searched for the last 50 changed updates. */
const SEARCHED_CHANGES = 100;

/** Updates with the time of their last public change, including photos that were added later. */
export type DatedUpdates = { update: ReaderUpdate; at: string }[];

/** Returns the updates in an archived document of a coverage. */
export function readArchived(coverageId: string, archive: number): Promise<DatedUpdates> {
  const { first, last } = archivedNumbers(archive);
  return readUpdatesBetween(coverageId, first, last).then((updates) => withChangeTimes(coverageId, updates));
}

/** Returns the last changed updates of a coverage, and all with numbers above `above`. */
export async function readNewest(
  { id, seq, update_count }: ReaderCoverage,
  above: number,
): Promise<DatedUpdates> {
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
export type FeedList = { entries: ListEntry[]; older: string | null; newer: string | null };

/** @param archive validated name of an archived document */
export async function readList(topicId: string | null, archive?: string): Promise<FeedList | null> {
  const [month, part = '1'] = archive?.split('.') ?? [];
  const parameters = {
    ...(topicId !== null && { topic_id: topicId }),
    ...(month && { month: `${month}-01`, part: Number(part) }),
    size: FEED_ENTRIES,
  };
  return (await dataOf(readerClient().rpc('feed_updates', parameters))) as FeedList | null;
}

/** Returns the feed fields of coverages by id. */
export async function readFeedCoverages(ids: string[]): Promise<Map<string, FeedCoverage>> {
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
export async function readFeedId(): Promise<string> {
  const { feed_id } = await dataOf(readerClient().from('site').select('feed_id').single());
  return feed_id;
}
