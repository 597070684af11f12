import type { CoverageState, DeskCoverage } from '../domain/desk-coverages.ts';
import type { Person } from '../domain/permissions.ts';
import { readQuietCoverages } from './desk.ts';
import { type BackendClient, dataOf } from './result.ts';

export type OverviewRow = Pick<
  DeskCoverage,
  'id' | 'slug' | 'kicker' | 'headline' | 'state' | 'time_zone' | 'language' | 'update_count' | 'quiet_since'
> & {
  /** Time of the newest published update; null if there is none. */
  newest: string | null;
};

type Overview = { rows: OverviewRow[]; more: boolean };

/** Number of coverages on one page. */
const PAGE = 50;

const COLUMNS = `id, slug, kicker, headline, state, time_zone, language, update_count,
  newest:last_published_at` as const;

/**
 * Returns the coverages whose desk a person may read. Contributors see those of their memberships.
 * @param page counted from 1
 */
export async function readOverview(backend: BackendClient, person: Person, page: number): Promise<Overview> {
  let query = backend.from('coverages').select(COLUMNS);
  if (person.role === 'contributor') query = query.in('id', await membershipsOf(backend, person));
  const from = (page - 1) * PAGE;
  const [quietSince, rows] = await Promise.all([
    readQuietCoverages(backend),
    dataOf(
      query
        // Order of the enum: in preparation, running, ended.
        .order('state')
        .order('published_at', { ascending: false })
        .order('id')
        .range(from, from + PAGE),
    ),
  ]);
  return {
    rows: rows.slice(0, PAGE).map((row) => ({ ...row, quiet_since: quietSince.get(row.id) ?? null })),
    more: rows.length > PAGE,
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
const GROUPS = {
  running: ['live', 'paused'],
  preparing: ['draft', 'scheduled'],
  over: ['ended', 'archived', 'withdrawn'],
} satisfies Record<string, CoverageState[]>;

type Group = keyof typeof GROUPS;

/** Whether the coverage is live or paused. */
export const isRunning = (state: CoverageState): boolean =>
  (GROUPS.running as CoverageState[]).includes(state);

/** Groups the rows by state. Leaves empty groups out. */
export function groupByState(rows: OverviewRow[]): { group: Group; rows: OverviewRow[] }[] {
  return Object.entries(GROUPS)
    .map(([group, states]) => ({
      group: group as Group,
      rows: rows.filter((row) => (states as CoverageState[]).includes(row.state)),
    }))
    .filter((part) => part.rows.length > 0);
}
