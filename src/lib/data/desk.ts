import type { Body } from '../domain/body/blocks.ts';
import { isSlug } from '../domain/coverages.ts';
import type { Tables } from '../domain/database.types.ts';
import type { CoverageState, DeskCoverage } from '../domain/desk.ts';
import { LIMITS } from '../domain/limits.ts';
import { pathWith } from '../domain/paths.ts';
import { type DeskPerson, may, type Person } from '../domain/permissions.ts';
import type { DeskPhoto } from '../domain/photos.ts';
import type {
  DeskByline,
  DeskUpdate,
  UpdateFilter,
  UpdateHead,
  UpdateState,
  UpdateTrait,
} from '../domain/updates.ts';
import type { Messages } from '../i18n/messages.ts';
import { type BackendClient, dataOf } from './result.ts';

/* All reads use the caller's permissions: pages pass the client of a session, islands their own. */

/** A selection of a coverage's updates. `words` is the search text; empty for no search. */
export type UpdateWindow = { filter: UpdateFilter; words: string; most: number };

const COVERAGE =
  'id, slug, kicker, headline, state, time_zone, language, starts_at, pinned_update, update_count, version, summary, summary_at, reader_follow_mode, check_interval_seconds, urgent:updates!updates_coverage_id_fkey(published_at)';

/** Finds a coverage by slug or id; null if the caller may not see it. */
export async function readCoverage(
  backend: BackendClient,
  by: 'slug' | 'id',
  value: string,
): Promise<DeskCoverage | null> {
  const query = backend
    .from('coverages')
    .select(COVERAGE)
    .eq(by, value)
    .eq('urgent.urgency', 'urgent')
    .eq('urgent.state', 'published')
    .order('number', { referencedTable: 'urgent', ascending: false })
    .limit(1, { referencedTable: 'urgent' });
  const [row, quietSince] = await Promise.all([dataOf(query.maybeSingle()), readQuietCoverages(backend)]);
  if (!row) return null;
  const { urgent, ...coverage } = row;
  return {
    ...coverage,
    summary: row.summary as Body,
    urgent_at: urgent[0]?.published_at ?? null,
    quiet_since: quietSince.get(row.id) ?? null,
  };
}

/** Returns the times since which coverages are quiet, by coverage id. Only coverages whose desk was reminded. */
async function readQuietCoverages(backend: BackendClient): Promise<Map<string, string>> {
  const rows = await dataOf(backend.rpc('list_quiet_coverages'));
  return new Map(rows.map(({ coverage_id, quiet_since }) => [coverage_id, quiet_since]));
}

/** Returns the current slug of a coverage from a former one. */
export async function currentSlug(backend: BackendClient, slug: string): Promise<string | null> {
  const row = await dataOf(
    backend.from('coverage_slugs').select('coverages(slug)').eq('slug', slug).maybeSingle(),
  );
  return row?.coverages?.slug ?? null;
}

/** Whether a person has a membership in the coverage that has not expired. */
export async function isMember(backend: BackendClient, coverage: string, person: string): Promise<boolean> {
  const row = await dataOf(
    backend
      .from('coverage_members')
      .select('person_id')
      .eq('coverage_id', coverage)
      .eq('person_id', person)
      .gt('expires_at', new Date().toISOString())
      .maybeSingle(),
  );
  return row !== null;
}

/** Returns the updates of a window: those without a number first, then by number, newest first. */
export async function readUpdates(
  backend: BackendClient,
  coverage: string,
  window: UpdateWindow,
): Promise<DeskUpdate[]> {
  const heads = await readHeads(backend, coverage, window);
  const ids = heads.map(({ id }) => id);
  const rows = new Map((await updatesById(backend, ids)).map((row) => [row.id, row]));
  return ids.flatMap((id) => rows.get(id) ?? []);
}

/** Like readUpdates(), but only the fields that show whether an update has changed. */
export function readHeads(
  backend: BackendClient,
  coverage: string,
  { filter, words, most }: UpdateWindow,
): Promise<UpdateHead[]> {
  const within = { coverage_id: coverage, states: statesOf(filter), max_rows: most };
  if (!hasSearch({ filter, words })) return dataOf(backend.rpc('list_desk_updates', within));
  const trait = isTrait(filter) ? filter : undefined;
  return dataOf(backend.rpc('desk_search', { ...within, words, filter: trait }));
}

/** Whether only the database can tell which updates belong to the window. */
export function hasSearch({ filter, words }: Pick<UpdateWindow, 'filter' | 'words'>): boolean {
  return isTrait(filter) || words.trim() !== '';
}

/** Number of updates in each state. Counting stops at 100, except for published updates. */
export type UpdateCounts = Partial<Record<UpdateState, number>>;

export async function readCounts(backend: BackendClient, coverage: string): Promise<UpdateCounts> {
  const rows = await dataOf(backend.rpc('desk_counts', { coverage_id: coverage }));
  return Object.fromEntries(rows.map(({ state, updates }) => [state, updates]));
}

/** Returns updates by id, in no particular order. */
export async function updatesById(backend: BackendClient, ids: string[]): Promise<DeskUpdate[]> {
  if (ids.length === 0) return [];
  return (await dataOf(backend.from('desk_updates').select('*').in('id', ids))).map(deskUpdate);
}

/** Returns the states that a filter includes. */
export function statesOf(filter: UpdateFilter): UpdateState[] {
  return filter === 'work' || isTrait(filter) ? WORK_STATES : [filter];
}

const WORK_STATES: UpdateState[] = ['draft', 'submitted', 'scheduled', 'published', 'withdrawn'];
const TRAITS: readonly string[] = ['mine', 'key', 'corrected', 'photos'] satisfies UpdateTrait[];

const isTrait = (filter: UpdateFilter): filter is UpdateTrait => TRAITS.includes(filter);

/** The generated types do not know that the database validates these columns. */
function deskUpdate(row: Tables<'desk_updates'>): DeskUpdate {
  return {
    ...row,
    body: row.body as Body,
    bylines: (row.bylines ?? []) as DeskByline[],
    photos: (row.photos ?? []) as DeskPhoto[],
  };
}

type DeskResult =
  | { outcome: 'open'; coverage: DeskCoverage; person: DeskPerson }
  | { outcome: 'moved'; slug: string }
  | { outcome: 'not_found' }
  | { outcome: 'forbidden' };

/** Opens the desk of a coverage for a person: returns it, its new slug, or why it is not available. */
export async function openDesk(backend: BackendClient, person: Person, slug: string): Promise<DeskResult> {
  if (!isSlug(slug)) return { outcome: 'not_found' };
  const coverage = await readCoverage(backend, 'slug', slug);
  if (!coverage) {
    const moved = await currentSlug(backend, slug);
    return moved ? { outcome: 'moved', slug: moved } : { outcome: 'not_found' };
  }
  const member = person.role === 'contributor' && (await isMember(backend, coverage.id, person.id));
  if (!may(person.role, 'read_desk', { member })) return { outcome: 'forbidden' };
  return { outcome: 'open', coverage, person: { ...person, member } };
}

/** Returns the active people who may read a desk. Empty if the caller may not. */
export async function readRoster(backend: BackendClient, coverage: string): Promise<DeskByline[]> {
  return dataOf(backend.rpc('desk_roster', { coverage_id: coverage }));
}

/** A version of a coverage's summary. `by` is null for versions that the server wrote. */
export type SummaryVersion = { version: number; at: string; by: string | null; summary: Body };

/** Number of versions read at once. */
export const SUMMARY_VERSIONS_PER_PAGE = LIMITS.versions_per_page;

/** Returns the versions of a summary before a version, newest first. */
export async function readSummaryVersions(
  backend: BackendClient,
  coverage: string,
  before?: number,
): Promise<SummaryVersion[]> {
  const rows = await dataOf(
    backend.rpc('summary_versions', { coverage_id: coverage, ...(before && { before }) }),
  );
  // The generated types do not know that the database validates the summary.
  return rows.map((row) => ({ ...row, summary: row.summary as Body }));
}

/** Work that waits for a person, for one coverage or for none: submitted updates and unhandled tips. */
type WaitingWork = {
  coverage_id: string | null;
  slug: string | null;
  headline: string | null;
  submitted: number;
  tips: number;
};

/** Returns the work that waits for the caller, by coverage. */
export function readWaiting(backend: BackendClient): Promise<WaitingWork[]> {
  return dataOf(backend.rpc('desk_waiting'));
}

/** Waiting work as the desk shows it. */
export type WaitingMessage = {
  /** Total number of waiting items. */
  count: number;
  /** One line for each kind and coverage with its link. `short` leaves the coverage's name out. */
  lines: { coverage: string | null; href: string; text: string; short: string }[];
};

/** Describes the waiting work in lines with links. */
export function waitingMessage(messages: Pick<Messages, 'deskList'>, waiting: WaitingWork[]): WaitingMessage {
  const { waits } = messages.deskList;
  const submitted = waiting
    .filter((part) => part.submitted > 0 && part.slug !== null)
    .map(({ coverage_id, slug, headline, submitted: count }) => ({
      coverage: coverage_id,
      href: `/desk/${slug}`,
      text: waits.in(waits.submitted(count), headline ?? ''),
      short: waits.submitted(count),
    }));
  const tips = waiting
    .filter((part) => part.tips > 0)
    .map(({ coverage_id, slug, headline, tips: count }) => ({
      coverage: coverage_id,
      href: pathWith('/desk/tips', { coverage: slug }),
      text: headline ? waits.in(waits.tips(count), headline) : waits.tips(count),
      short: waits.tips(count),
    }));
  const count = waiting.reduce((sum, part) => sum + part.submitted + part.tips, 0);
  return { count, lines: [...submitted, ...tips] };
}

export type OverviewRow = Pick<
  DeskCoverage,
  'id' | 'slug' | 'kicker' | 'headline' | 'state' | 'time_zone' | 'language' | 'update_count' | 'quiet_since'
> & {
  /** Time of the newest published update; null if there is none. */
  newest: string | null;
};

type Overview = { rows: OverviewRow[]; more: boolean };

/** Number of coverages on one page. */
const OVERVIEW_PAGE = 50;

const OVERVIEW_COLUMNS = `id, slug, kicker, headline, state, time_zone, language, update_count,
  newest:last_published_at` as const;

/**
 * Returns the coverages whose desk a person may read. Contributors see those of their memberships.
 * @param page counted from 1
 */
export async function readOverview(backend: BackendClient, person: Person, page: number): Promise<Overview> {
  let query = backend.from('coverages').select(OVERVIEW_COLUMNS);
  if (person.role === 'contributor') query = query.in('id', await membershipsOf(backend, person));
  const from = (page - 1) * OVERVIEW_PAGE;
  const [quietSince, rows] = await Promise.all([
    readQuietCoverages(backend),
    dataOf(
      query
        // Order of the enum: in preparation, running, ended.
        .order('state')
        .order('published_at', { ascending: false })
        .order('id')
        .range(from, from + OVERVIEW_PAGE),
    ),
  ]);
  return {
    rows: rows
      .slice(0, OVERVIEW_PAGE)
      .map((row) => ({ ...row, quiet_since: quietSince.get(row.id) ?? null })),
    more: rows.length > OVERVIEW_PAGE,
  };
}

async function membershipsOf(backend: BackendClient, person: Person): Promise<string[]> {
  const rows = await dataOf(
    backend
      .from('coverage_members')
      .select('coverage_id')
      .eq('person_id', person.id)
      .gt('expires_at', new Date().toISOString()),
  );
  return rows.map((row) => row.coverage_id);
}

/** Groups of the overview in order of display. */
const OVERVIEW_GROUPS = {
  running: ['live', 'paused'],
  preparing: ['draft', 'scheduled'],
  over: ['ended', 'archived', 'withdrawn'],
} satisfies Record<string, CoverageState[]>;

type OverviewGroup = keyof typeof OVERVIEW_GROUPS;

/** Whether the coverage is live or paused. */
export const isRunning = (state: CoverageState): boolean =>
  (OVERVIEW_GROUPS.running as CoverageState[]).includes(state);

/** Groups the rows by state. Leaves empty groups out. */
export function groupByState(rows: OverviewRow[]): { group: OverviewGroup; rows: OverviewRow[] }[] {
  return Object.entries(OVERVIEW_GROUPS)
    .map(([group, states]) => ({
      group: group as OverviewGroup,
      rows: rows.filter((row) => (states as CoverageState[]).includes(row.state)),
    }))
    .filter((part) => part.rows.length > 0);
}
