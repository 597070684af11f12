import { readerClient } from '../../data/reader-client.server.ts';
import { dataOf } from '../../data/result.ts';
import { readUpdatesBetween, readUpdatesById } from '../../data/updates.ts';
import type { ReaderCoverage } from '../../domain/reader-coverage.ts';
import type { ReaderUpdate } from '../../domain/updates.ts';
import { FEED_ENTRIES, type FeedCoverage, numbersIn } from './document.ts';

/** Of so many changes the last of fifty updates are found, unless most are of the same few. */
const LOOKED_AT = 100;

/** Updates, and when something of each last changed that its readers may see: a photo that came later, too. */
export type Dated = { update: ReaderUpdate; at: string }[];

/** The updates in an archive of a coverage. */
export function readArchived(coverageId: string, archive: number): Promise<Dated> {
  const { first, last } = numbersIn(archive);
  return readUpdatesBetween(coverageId, first, last).then((updates) => dated(coverageId, updates));
}

/** What changed last in a coverage, as far as its last changes tell, and all above a number. */
export async function readNewest({ id, seq, update_count }: ReaderCoverage, above: number): Promise<Dated> {
  const [open, changes] = await Promise.all([
    readUpdatesBetween(id, above + 1, update_count),
    dataOf(
      readerClient()
        .from('coverage_changes')
        .select('update_id')
        .eq('coverage_id', id)
        .not('update_id', 'is', null)
        .neq('kind', 'pin')
        // A range, and no limit: there is one way to read it, also for a planner that knows nothing of the rows.
        .gt('seq', seq - LOOKED_AT)
        .order('seq', { ascending: false }),
    ),
  ]);
  const known = new Set(open.map((update) => update.id));
  const changed = [...new Set(changes.flatMap(({ update_id }) => update_id ?? []))].slice(0, FEED_ENTRIES);
  const others = await readUpdatesById(changed.filter((update) => !known.has(update)));
  return dated(id, [...open, ...others]);
}

/** Of what was only published it is the time of that, which an import may have been told. */
async function dated(coverageId: string, updates: ReaderUpdate[]): Promise<Dated> {
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

/** An entry of the feed of the site or of a topic, before its words are read. */
type Listed = { id: string; coverage: string; at: string; gone: boolean; archived: boolean };

/** What a document of many coverages holds; null where there is no such document. */
export type List = { entries: Listed[]; older: string | null; newer: string | null };

/** @param archive its name, of which the address has seen that it is one */
export async function readList(topicId: string | null, archive?: string): Promise<List | null> {
  const [month, part = '1'] = archive?.split('.') ?? [];
  const question = {
    ...(topicId !== null && { topic_id: topicId }),
    ...(month && { month: `${month}-01`, part: Number(part) }),
    size: FEED_ENTRIES,
  };
  return (await dataOf(readerClient().rpc('feed_updates', question))) as List | null;
}

/** What feeds say of these coverages, by their ids. */
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

/** What the site's feed is known by. */
export async function readFeedId(): Promise<string> {
  const { feed_id } = await dataOf(readerClient().from('site').select('feed_id').single());
  return feed_id;
}
