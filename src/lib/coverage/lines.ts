import { dataOf } from '../supabase/answer.ts';
import { reader } from '../supabase/reader.server.ts';
import { LINE_PHOTOS, toKeyEvent } from '../updates/read.ts';
import type { KeyEvent } from '../updates/update.ts';
import { isOver, type PublicState, type ReaderCoverage } from './coverage.ts';

/** Coverages in one list. */
const SHOWN = 40;

/** Key events under a running coverage. */
const EVENTS = 3;

/** A coverage as a list shows it: its own words, its newest key events, when it last said something. */
export type CoverageLine = Pick<
  ReaderCoverage,
  | 'id'
  | 'slug'
  | 'kicker'
  | 'headline'
  | 'standfirst'
  | 'state'
  | 'time_zone'
  | 'language'
  | 'starts_at'
  | 'published_at'
  | 'update_count'
> & { keyEvents: KeyEvent[]; newestAt: string | null };

const COLUMNS = `id, slug, kicker, headline, standfirst, state, time_zone, language, starts_at, published_at,
  update_count, newest_at,
  key_events:updates!updates_coverage_id_fkey(number, headline, body, published_at, ${LINE_PHOTOS})` as const;

/**
 * Coverages of one topic or of all: those to come, then those running, then those that are over, each the last
 * begun first. One query.
 */
export async function readCoverageLines({ topicId }: { topicId?: string } = {}): Promise<CoverageLine[]> {
  let query = topicId
    ? reader()
        .from('coverages')
        .select(`${COLUMNS}, coverage_topics!inner(topic_id)`)
        .eq('coverage_topics.topic_id', topicId)
    : reader().from('coverages').select(COLUMNS);
  query = query
    .is('key_events.key_event', true)
    .eq('key_events.state', 'published')
    .order('number', { referencedTable: 'key_events', ascending: false })
    .limit(EVENTS, { referencedTable: 'key_events' })
    // The enum's own order, so that nothing that is running is ever below the limit.
    .order('state')
    .order('published_at', { ascending: false })
    .limit(SHOWN);
  const rows = await dataOf(query);
  return rows.map(({ key_events, newest_at, state, ...row }) => ({
    ...row,
    state: state as PublicState,
    keyEvents: key_events.map(toKeyEvent),
    newestAt: newest_at,
  }));
}

/** States in which something may happen at any moment. */
const RUNNING: PublicState[] = ['live', 'paused'];

/** The front page's order: what is running, what is to come (soonest first), what is over. */
export function sortForFront(lines: CoverageLine[]) {
  return {
    running: lines.filter(({ state }) => RUNNING.includes(state)).sort((a, b) => rank(a) - rank(b)),
    coming: lines
      .filter(({ state }) => state === 'scheduled')
      .sort((a, b) => (a.starts_at ?? '').localeCompare(b.starts_at ?? '')),
    over: lines.filter(({ state }) => isOver(state)),
  };
}

const rank = ({ state }: CoverageLine) => RUNNING.indexOf(state);
