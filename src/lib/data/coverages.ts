import { isSlug, KEY_EVENTS_PAGE, keyEventsPath, type View } from '../domain/coverages.ts';
import { LIMITS } from '../domain/limits.ts';
import { type PageSize, paginateByTime, readBefore } from '../domain/list-paths.ts';
import { utcFromLocal } from '../domain/local-time.ts';
import type { ReaderPhoto } from '../domain/photos.ts';
import { hasEnded, type PublicState, type ReaderCoverage } from '../domain/reader-coverage.ts';
import type { Clock } from '../domain/time.ts';
import type { KeyEvent, ReaderUpdate } from '../domain/updates.ts';
import { readerClient } from './reader-client.server.ts';
import { dataOf } from './result.ts';
import { cacheRows } from './server-bridge.ts';
import {
  PHOTO_COLUMNS,
  READER_PHOTOS,
  readerPhotosOf,
  readKeyEventLines,
  readKeyEvents,
  readKeyEventsWithPhotos,
  readUpdatesBetween,
  readUpdatesById,
  readUrgentEvent,
  readUrgentUpdate,
  toKeyEvent,
} from './updates.ts';

/** The lead photo that an editor chose. Null if there is none or readers cannot see it any more. */
const LEAD = `lead:photos!coverages_lead_photo_fkey(${PHOTO_COLUMNS})` as const;

const COLUMNS =
  `id, slug, kicker, headline, standfirst, summary, summary_at, state, time_zone, language, starts_at,
  ended_at, published_at, revised_at, pinned_update, reader_follow_mode, check_interval_seconds, seq, update_count, version, canonical_url,
  topics!coverage_topics(slug, name), ${LEAD}` as const;

/** Result of looking up a slug. */
type CoverageResult =
  | { kind: 'coverage'; coverage: ReaderCoverage }
  | { kind: 'moved'; slug: string }
  | { kind: 'gone' }
  | { kind: 'not_found' };

/** Finds a coverage by its slug. If there is none, tells whether it was renamed or withdrawn. */
export async function findCoverage(slug: string): Promise<CoverageResult> {
  if (!isSlug(slug)) return { kind: 'not_found' };
  const row = await dataOf(readerClient().from('coverages').select(COLUMNS).eq('slug', slug).maybeSingle());
  // The types do not know that the database validates the summary and its policies the state.
  if (row) return { kind: 'coverage', coverage: row as unknown as ReaderCoverage };
  const resolved = (await dataOf(readerClient().rpc('resolve_slug', { slug }))) as SlugResult;
  if (resolved === null) return { kind: 'not_found' };
  if (resolved.status === 'withdrawn') return { kind: 'gone' };
  // Also covers a coverage that was renamed between the two calls.
  return { kind: 'moved', slug: resolved.slug };
}

/** Finds a coverage for a page that is rendered again when the coverage changes. */
export const cachedCoverage = cacheRows(findCoverage, ({ kind }) => kind === 'coverage');

type SlugResult = { slug: string; status: 'public' | 'withdrawn' } | null;

/** Key events of a live page, newest first, whether there are more, and the photo that stands for the coverage. */
export type KeyEventList = { events: KeyEvent[]; more: boolean; photo: ReaderPhoto | null };

/** Returns the newest key events that a live page shows, and the lead photo. */
export async function readKeyEventList({
  id,
  lead,
}: Pick<ReaderCoverage, 'id' | 'lead'>): Promise<KeyEventList> {
  const most = LIMITS.key_events_shown;
  const rows = await readKeyEventsWithPhotos(id, most + 1);
  return {
    events: rows.slice(0, most).map(({ event }) => event),
    more: rows.length > most,
    photo: leadPhotoOf(lead, rows.slice(0, KEY_EVENTS_SHOWN)),
  };
}

/** The photo that stands for a coverage; null if its newest update shows it anyway. */
export const photoBeside = (
  newest: Pick<ReaderUpdate, 'photos'> | null | undefined,
  { photo }: KeyEventList,
): ReaderPhoto | null => (newest?.photos.some(({ id }) => id === photo?.id) ? null : photo);

/** Returns the pinned update of a coverage; null if there is none or it is not published. */
export async function readPinned(coverage: ReaderCoverage): Promise<ReaderUpdate | null> {
  if (!coverage.pinned_update) return null;
  const [update] = await readUpdatesById([coverage.pinned_update]);
  return update?.state === 'published' ? update : null;
}

/** Returns the newest urgent update of a coverage; null if there is none or the coverage has ended. */
export async function readUrgent({ id, state }: Pick<ReaderCoverage, 'id' | 'state'>) {
  return hasEnded(state) ? null : readUrgentUpdate(id);
}

/** Content of a live page. Its rows are read after the coverage's seq, so they are never older than it. */
export type LivePage = {
  updates: ReaderUpdate[];
  /** Paths of the neighbouring pages. */
  older?: string;
  newer?: string;
  /** The newest urgent update. */
  urgent: ReaderUpdate | null;
  pinned: ReaderUpdate | null;
  keyEvents: KeyEventList;
};

/** Reads a view of a live page. Only the newest page shows the urgent and the pinned update and key events. */
export async function readLivePage(coverage: ReaderCoverage, view: View): Promise<LivePage> {
  if (view.kind === 'newest') {
    const [updates, urgent, pinned, keyEvents] = await Promise.all([
      readUpdatesBetween(coverage.id, view.range.first, view.range.last),
      readUrgent(coverage),
      readPinned(coverage),
      readKeyEventList(coverage),
    ]);
    return { updates, urgent, pinned, keyEvents, older: view.older };
  }
  const bare = { urgent: null, pinned: null, keyEvents: { events: [], more: false, photo: null } };
  if (view.kind === 'key') {
    const rows = await readKeyEvents(coverage.id, view.before, KEY_EVENTS_PAGE + 1);
    const updates = rows.slice(0, KEY_EVENTS_PAGE);
    const oldest = updates.at(-1);
    const older =
      rows.length > KEY_EVENTS_PAGE && oldest ? keyEventsPath(coverage.slug, oldest.number) : undefined;
    return { ...bare, updates, older, newer: view.newer };
  }
  const updates = await readUpdatesBetween(coverage.id, view.range.first, view.range.last);
  if (view.kind === 'oldest') updates.reverse();
  return { ...bare, updates, older: view.older, newer: view.newer };
}

/** Number of ended coverages in a list. */
const FRONT_PAGE_SIZE: PageSize = { min: 40, max: 40 };
const TOPIC_PAGE_SIZE: PageSize = { min: 40, max: 60 };

/** Maximum number of coverages that have not ended. No newsroom has as many. */
const MAX_ACTIVE = 100;

/** Number of key events shown under a running coverage. */
const KEY_EVENTS_SHOWN = 3;

/** A coverage as lists show it: its texts, newest key events and time of its newest update. */
export type CoverageLine = ReturnType<typeof toLine>;

const LINE_COLUMNS =
  `id, slug, kicker, headline, standfirst, state, time_zone, language, starts_at, published_at,
  update_count, last_published_at, front_page_position, ${LEAD},
  key_events:updates!updates_coverage_id_fkey(number, headline, body, published_at, ${READER_PHOTOS})` as const;

/** Selects coverages as lines, optionally of one topic. */
function selectLines(topicId?: string) {
  const query = topicId
    ? readerClient()
        .from('coverages')
        .select(`${LINE_COLUMNS}, coverage_topics!inner(topic_id)`)
        .eq('coverage_topics.topic_id', topicId)
    : readerClient().from('coverages').select(LINE_COLUMNS);
  return query
    .is('key_events.key_event', true)
    .eq('key_events.state', 'published')
    .order('number', { referencedTable: 'key_events', ascending: false })
    .limit(KEY_EVENTS_SHOWN, { referencedTable: 'key_events' });
}

/** Returns the coverages of the front page: scheduled, then running, then ended, each with the latest start first. */
export async function readCoverageLines(): Promise<CoverageLine[]> {
  const [first, over] = await Promise.all([readActiveLines(), readEndedLines(FRONT_PAGE_SIZE)]);
  return [...first, ...over.lines];
}

/** Coverages in order, and the `before` parameter of the next page if there is one. */
type CoverageLines = { lines: CoverageLine[]; older?: string };

/**
 * Returns the coverages of a topic. Pages with `before` contain ended coverages only. Null if `before` is not a valid
 * time.
 */
async function readTopicLines(topic_id: string, before?: string): Promise<CoverageLines | null> {
  if (before !== undefined) {
    const from = readBefore(before);
    return from && readEndedLines(TOPIC_PAGE_SIZE, { topic_id, ...from });
  }
  const [first, { lines, older }] = await Promise.all([
    readActiveLines(topic_id),
    readEndedLines(TOPIC_PAGE_SIZE, { topic_id }),
  ]);
  return { lines: [...first, ...lines], older };
}

const ACTIVE_STATES: PublicState[] = ['scheduled', 'live', 'paused'];

async function readActiveLines(topicId?: string): Promise<CoverageLine[]> {
  const query = selectLines(topicId)
    .in('state', ACTIVE_STATES)
    // Order of the enum: scheduled, then live, then paused.
    .order('state')
    .order('published_at', { ascending: false })
    .limit(MAX_ACTIVE);
  return (await dataOf(query)).map(toLine);
}

/** Reads the ids first, because an index provides their order, and then the lines. */
async function readEndedLines(
  pageSize: PageSize,
  from: { topic_id?: string; before_position?: string; before_id?: string } = {},
): Promise<CoverageLines> {
  const rows = await dataOf(
    readerClient().rpc('list_ended_coverages', { max_rows: pageSize.max + 1, ...from }),
  );
  const positions = rows.map(({ coverage_id, list_position }) => ({
    id: coverage_id,
    position: list_position,
  }));
  const { shown, before } = paginateByTime(positions, pageSize);
  return { lines: await readByIds(positions.slice(0, shown).map(({ id }) => id)), older: before };
}

async function readByIds(ids: string[]): Promise<CoverageLine[]> {
  if (ids.length === 0) return [];
  const rows = await dataOf(selectLines().in('id', ids));
  const byId = new Map(rows.map((row) => [row.id, toLine(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const STARTED_STATES: PublicState[] = ['live', 'paused', 'ended', 'archived'];

/** Returns the coverages that began in a time span, in order of their start. */
async function readLinesStartedBetween(from: Date, until: Date, skip: number, most: number) {
  const query = selectLines()
    .in('state', STARTED_STATES)
    .gte('published_at', from.toISOString())
    .lt('published_at', until.toISOString())
    .order('published_at')
    .order('id')
    .range(skip, skip + most - 1);
  return (await dataOf(query)).map(toLine);
}

type Row = NonNullable<Awaited<ReturnType<typeof selectLines>>['data']>[number];

const toLine = ({ key_events, last_published_at, state, lead, ...row }: Row) => ({
  ...row,
  state: state as PublicState,
  keyEvents: key_events.map(toKeyEvent),
  newestAt: last_published_at,
  photo: leadPhotoOf(
    // Policies show readers only photos that are ready and have an alt text, which the types do not know.
    lead as ReaderPhoto | null,
    key_events.map((row) => ({ photos: readerPhotosOf(row) })),
  ),
});

/** Returns the photo that stands for a coverage: the chosen one, or the first of its newest key event with photos. */
function leadPhotoOf(chosen: ReaderPhoto | null, events: { photos: ReaderPhoto[] }[]): ReaderPhoto | null {
  return chosen ?? events.flatMap(({ photos }) => photos)[0] ?? null;
}

/** States in which new updates are expected. */
const RUNNING_STATES: PublicState[] = ['live', 'paused'];

/** An urgent update as the front page shows it, with the coverage that it belongs to. */
type UrgentLine = KeyEvent & { coverage: CoverageLine };

/** Returns the newest urgent update of the running coverages; null if there is none. */
export async function readUrgentLine(lines: CoverageLine[]): Promise<UrgentLine | null> {
  const running = lines.filter(({ state }) => RUNNING_STATES.includes(state));
  const newest = await Promise.all(
    running.map(async (coverage) => {
      const event = await readUrgentEvent(coverage.id);
      return event && { ...event, coverage };
    }),
  );
  const urgent = newest.filter((line) => line !== null);
  return urgent.sort((a, b) => b.published_at.localeCompare(a.published_at))[0] ?? null;
}

/**
 * Sorts coverages for the front page. The lead is the one that editors put first, else the first running one, else the
 * newest one. The others are grouped: running, coming (the soonest first), and ended. In each group arranged coverages
 * stand first.
 */
export function groupForFrontPage(lines: CoverageLine[]) {
  const usual = [
    ...lines.filter(({ state }) => RUNNING_STATES.includes(state)).sort((a, b) => rank(a) - rank(b)),
    ...lines.filter(({ state }) => hasEnded(state)),
    ...lines
      .filter(({ state }) => state === 'scheduled')
      .sort((a, b) => (a.starts_at ?? '').localeCompare(b.starts_at ?? '')),
  ];
  const [lead, ...others] = usual.toSorted((a, b) => positionOf(a) - positionOf(b));
  return {
    lead,
    running: others.filter(({ state }) => RUNNING_STATES.includes(state)),
    coming: others.filter(({ state }) => state === 'scheduled'),
    over: others.filter(({ state }) => hasEnded(state)),
  };
}

const rank = ({ state }: CoverageLine) => RUNNING_STATES.indexOf(state);

/** Sorts coverages that editors did not arrange after all arranged ones. */
const positionOf = ({ front_page_position }: CoverageLine) => front_page_position ?? Number.MAX_SAFE_INTEGER;

/** A day of a coverage, in its time zone. */
type TimelineDay = {
  /** `1969-07-16` */
  day: string;
  /** Number of published updates. */
  updates: number;
  /** First and last number of the day, and when they were published. */
  first: number;
  last: number;
  first_at: string;
  last_at: string;
  /** Key events in chronological order. */
  events: KeyEvent[];
};

/** A single day, or consecutive days without key events. */
type TimelinePart =
  | { kind: 'day'; day: TimelineDay }
  | { kind: 'run'; days: [TimelineDay, ...TimelineDay[]] };

export type Timeline = Awaited<ReturnType<typeof readTimeline>>;

/** Maximum number of key events on one timeline. */
const MAX_TIMELINE_EVENTS = 300;

/**
 * Returns the days of a coverage, oldest first, with their key events. `events` is the number of key events, `more`
 * whether there are older ones, which are on the page of key events.
 */
export async function readTimeline(coverageId: string) {
  const [days, rows] = await Promise.all([
    dataOf(readerClient().rpc('coverage_days', { coverage_id: coverageId })),
    readKeyEventLines(coverageId, MAX_TIMELINE_EVENTS + 1),
  ]);
  const events = rows.slice(0, MAX_TIMELINE_EVENTS).toReversed();
  return { days: withEvents(days, events), events: events.length, more: rows.length > MAX_TIMELINE_EVENTS };
}

/**
 * Assigns key events to their days.
 * @param events ordered by number, as the days are
 */
export function withEvents(days: Omit<TimelineDay, 'events'>[], events: KeyEvent[]): TimelineDay[] {
  return days.map((day) => ({
    ...day,
    events: events.filter(({ number }) => number >= day.first && number <= day.last),
  }));
}

/** Groups consecutive days without key events into one part. */
export function timelineParts(days: TimelineDay[]): TimelinePart[] {
  const parts: TimelinePart[] = [];
  for (const day of days) {
    const last = parts.at(-1);
    if (day.events.length > 0) parts.push({ kind: 'day', day });
    else if (last?.kind === 'run') last.days.push(day);
    else parts.push({ kind: 'run', days: [day] });
  }
  return parts;
}

/** A month in which coverages began. */
type ArchiveMonth = { /** `2026-11`, in the site's time zone. */ month: string; coverages: number };

/** Number of coverages on one page of a month. */
const COVERAGES_PER_PAGE = 40;

/** Returns all months in which coverages began, newest first. */
export const readArchiveMonths = (): Promise<ArchiveMonth[]> => dataOf(readerClient().rpc('archive_months'));

/** Groups months by year. */
export function byYear(months: ArchiveMonth[]): { year: string; months: ArchiveMonth[] }[] {
  const years = Map.groupBy(months, ({ month }) => month.slice(0, 4));
  return [...years].map(([year, months]) => ({ year, months }));
}

/**
 * Returns a page of the coverages that began in a month, in order of their start, so that new coverages do not move
 * others to another page, and the neighbouring months that have coverages. Null if there is no such page.
 * @param clock clock of the site
 */
export async function readMonth(month: string, page: number, clock: Clock) {
  const months = await readArchiveMonths();
  const index = months.findIndex((entry) => entry.month === month);
  const coverages = months[index]?.coverages ?? 0;
  const pages = Math.ceil(coverages / COVERAGES_PER_PAGE);
  if (page > pages) return null;
  const lines = await readLinesStartedBetween(
    monthStart(month, clock),
    monthStart(monthAfter(month), clock),
    (page - 1) * COVERAGES_PER_PAGE,
    COVERAGES_PER_PAGE,
  );
  return {
    month,
    coverages,
    lines,
    page,
    pages,
    earlier: months[index + 1]?.month,
    later: months[index - 1]?.month,
  };
}

const monthAfter = (month: string): string => {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 7);
};

/** Returns the first moment of a month in the clock's zone. */
export const monthStart = (month: string, { timeZone }: Clock): Date =>
  new Date(utcFromLocal(`${month}-01T00:00`, timeZone) ?? `${month}-01T00:00:00Z`);

type TopicPage = CoverageLines & { topic: { slug: string; name: string; description: string } };

/** Finds a topic by its slug, or returns null. */
export const findTopic = (slug: string) =>
  dataOf(readerClient().from('topics').select('id, slug, name, description').eq('slug', slug).maybeSingle());

/**
 * Returns a topic and its coverages, newest first; null if there is no such topic or page.
 * @param before `before` parameter of the page; without it, the newest page
 */
export async function readTopicPage(slug: string, before?: string): Promise<TopicPage | null> {
  const topic = await findTopic(slug);
  const page = topic && (await readTopicLines(topic.id, before));
  if (!page || (before && page.lines.length === 0)) return null;
  return { topic, ...page };
}
