import { cutList, type Room, readBefore } from '../lists/cut.ts';
import { dataOf } from '../supabase/answer.ts';
import { reader } from '../supabase/reader.server.ts';
import { LINE_PHOTOS, toKeyEvent } from '../updates/read.ts';
import type { KeyEvent } from '../updates/update.ts';
import { isOver, type PublicState, type ReaderCoverage } from './coverage.ts';

/** Coverages that are over in one list. */
const FRONT: Room = { least: 40, most: 40 };
const TOPIC: Room = { least: 40, most: 60 };

/** Those that are not, which no newsroom has so many of. */
const NOT_OVER = 100;

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

/** Coverages as lines, of one topic or of all. */
function select({ topicId, events = EVENTS }: { topicId?: string; events?: number } = {}) {
  const query = topicId
    ? reader()
        .from('coverages')
        .select(`${COLUMNS}, coverage_topics!inner(topic_id)`)
        .eq('coverage_topics.topic_id', topicId)
    : reader().from('coverages').select(COLUMNS);
  return query
    .is('key_events.key_event', true)
    .eq('key_events.state', 'published')
    .order('number', { referencedTable: 'key_events', ascending: false })
    .limit(events, { referencedTable: 'key_events' });
}

/** Coverages for the front page: those to come, then those running, then those that are over, each the last begun first. */
export async function readCoverageLines(): Promise<CoverageLine[]> {
  const [first, over] = await Promise.all([readNotOver(), readOver(FRONT)]);
  return [...first, ...over.lines];
}

/** Coverages in their order, and what the next ones come before, where there are more. */
export type CoverageLines = { lines: CoverageLine[]; older?: string };

/** The same of a topic. What comes before a place is over; null where that is no time. */
export async function readTopicLines(topic_id: string, before?: string): Promise<CoverageLines | null> {
  if (before !== undefined) {
    const from = readBefore(before);
    return from && readOver(TOPIC, { topic_id, ...from });
  }
  const [first, { lines, older }] = await Promise.all([readNotOver(topic_id), readOver(TOPIC, { topic_id })]);
  return { lines: [...first, ...lines], older };
}

const STATES_NOT_OVER: PublicState[] = ['scheduled', 'live', 'paused'];

async function readNotOver(topicId?: string): Promise<CoverageLine[]> {
  const query = select({ topicId })
    .in('state', STATES_NOT_OVER)
    // The enum's own order: what is to come, then what is running.
    .order('state')
    .order('published_at', { ascending: false })
    .limit(NOT_OVER);
  return (await dataOf(query)).map(toLine);
}

/** Which ones are asked first: their order comes out of an index, whatever else is told of them. */
async function readOver(
  room: Room,
  from: { topic_id?: string; before?: string; before_id?: string } = {},
): Promise<CoverageLines> {
  const rows = await dataOf(reader().rpc('over_coverages', { most: room.most + 1, ...from }));
  const places = rows.map(({ coverage_id, place }) => ({ id: coverage_id, place }));
  const { shown, before } = cutList(places, room);
  return { lines: await readByIds(places.slice(0, shown).map(({ id }) => id)), older: before };
}

async function readByIds(ids: string[]): Promise<CoverageLine[]> {
  if (ids.length === 0) return [];
  const rows = await dataOf(select().in('id', ids));
  const byId = new Map(rows.map((row) => [row.id, toLine(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const BEGUN: PublicState[] = ['live', 'paused', 'ended', 'archived'];

/** Coverages that began in a span of time, in the order in which they did, each with its newest key event. */
export async function readLinesBegunBetween(from: Date, until: Date, skip: number, most: number) {
  const query = select({ events: 1 })
    .in('state', BEGUN)
    .gte('published_at', from.toISOString())
    .lt('published_at', until.toISOString())
    .order('published_at')
    .order('id')
    .range(skip, skip + most - 1);
  return (await dataOf(query)).map(toLine);
}

type Row = NonNullable<Awaited<ReturnType<typeof select>>['data']>[number];

const toLine = ({ key_events, newest_at, state, ...row }: Row): CoverageLine => ({
  ...row,
  state: state as PublicState,
  keyEvents: key_events.map(toKeyEvent),
  newestAt: newest_at,
});

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
