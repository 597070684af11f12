import type { CoverageState, DeskCoverage } from '../domain/desk-coverages.ts';
import type { Person } from '../domain/permissions.ts';
import { type Backend, readSilences } from './desk.ts';
import { dataOf } from './result.ts';

export type OverviewRow = Pick<
  DeskCoverage,
  'id' | 'slug' | 'kicker' | 'headline' | 'state' | 'time_zone' | 'language' | 'update_count' | 'quiet_since'
> & {
  /** When its newest update was published; null when there is none. */
  newest: string | null;
};

export type Overview = { rows: OverviewRow[]; more: boolean };

/** Coverages on one page of the overview. */
const PAGE = 50;

const COLUMNS = `id, slug, kicker, headline, state, time_zone, language, update_count,
  newest:newest_at` as const;

/**
 * The coverages whose desk a person may read. A contributor's are those with a place for them.
 * @param page from 1
 */
export async function readOverview(backend: Backend, person: Person, page: number): Promise<Overview> {
  let query = backend.from('coverages').select(COLUMNS);
  if (person.role === 'contributor') query = query.in('id', await placesOf(backend, person));
  const from = (page - 1) * PAGE;
  const [silences, rows] = await Promise.all([
    readSilences(backend),
    dataOf(
      query
        // The enum's own order: what is being made, what runs, what is over.
        .order('state')
        .order('published_at', { ascending: false })
        .order('id')
        .range(from, from + PAGE),
    ),
  ]);
  return {
    rows: rows.slice(0, PAGE).map((row) => ({ ...row, quiet_since: silences.get(row.id) ?? null })),
    more: rows.length > PAGE,
  };
}

async function placesOf(backend: Backend, person: Person): Promise<string[]> {
  const places = await dataOf(
    backend
      .from('coverage_members')
      .select('coverage_id')
      .eq('person_id', person.id)
      .gt('expires_at', new Date().toISOString()),
  );
  return places.map((place) => place.coverage_id);
}

/** The parts of the overview, in its order: what runs first, because somebody waits for it. */
const GROUPS = {
  running: ['live', 'paused'],
  preparing: ['draft', 'scheduled'],
  over: ['ended', 'archived', 'withdrawn'],
} satisfies Record<string, CoverageState[]>;

export type Group = keyof typeof GROUPS;

/** Whether somebody may be expected to work on it. */
export const isRunning = (state: CoverageState): boolean =>
  (GROUPS.running as CoverageState[]).includes(state);

/** The rows of each part that has any. */
export function grouped(rows: OverviewRow[]): { group: Group; rows: OverviewRow[] }[] {
  return Object.entries(GROUPS)
    .map(([group, states]) => ({
      group: group as Group,
      rows: rows.filter((row) => (states as CoverageState[]).includes(row.state)),
    }))
    .filter((part) => part.rows.length > 0);
}
