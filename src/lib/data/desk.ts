import type { SupabaseClient } from '@supabase/supabase-js';
import type { Body } from '../domain/body/blocks.ts';
import { isSlug } from '../domain/coverages.ts';
import type { Database, Tables } from '../domain/database.types.ts';
import type { DeskCoverage } from '../domain/desk-coverages.ts';
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
import { deskList } from '../i18n/desk-list.ts';
import { dataOf } from './result.ts';

/* Every read is under the caller's own rights: pages call these with a session's client, islands with theirs. */

export type Backend = SupabaseClient<Database>;

/** `words`: what they have to say, as somebody types it; empty for all. */
export type UpdateWindow = { filter: UpdateFilter; words: string; most: number };

const COVERAGE =
  'id, slug, kicker, headline, state, time_zone, language, starts_at, pinned_update, update_count, version, summary, reader_follow, reader_interval';

/** The coverage with this slug or id, or null when there is none that the caller may see. */
export async function readCoverage(
  backend: Backend,
  by: 'slug' | 'id',
  value: string,
): Promise<DeskCoverage | null> {
  const [row, silences] = await Promise.all([
    dataOf(backend.from('coverages').select(COVERAGE).eq(by, value).maybeSingle()),
    readSilences(backend),
  ]);
  return row && { ...row, summary: row.summary as Body, quiet_since: silences.get(row.id) ?? null };
}

/** Since when coverages have been silent of which the desk was reminded, by their ids. */
export async function readSilences(backend: Backend): Promise<Map<string, string>> {
  const rows = await dataOf(backend.rpc('desk_silent'));
  return new Map(rows.map(({ coverage_id, quiet_since }) => [coverage_id, quiet_since]));
}

/** The slug that a coverage has now, from one that it had. */
export async function currentSlug(backend: Backend, slug: string): Promise<string | null> {
  const row = await dataOf(
    backend.from('coverage_slugs').select('coverages(slug)').eq('slug', slug).maybeSingle(),
  );
  return row?.coverages?.slug ?? null;
}

/** Whether a person has a place in a coverage that has not expired. */
export async function isMember(backend: Backend, coverage: string, person: string): Promise<boolean> {
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

/** The updates of a window: first what waits, newest first, then by number, newest first. */
export async function readUpdates(
  backend: Backend,
  coverage: string,
  window: UpdateWindow,
): Promise<DeskUpdate[]> {
  const heads = await readHeads(backend, coverage, window);
  const ids = heads.map(({ id }) => id);
  const rows = new Map((await updatesById(backend, ids)).map((row) => [row.id, row]));
  return ids.flatMap((id) => rows.get(id) ?? []);
}

/** As readUpdates(), as much of each as tells whether it has changed. */
export function readHeads(
  backend: Backend,
  coverage: string,
  { filter, words, most }: UpdateWindow,
): Promise<UpdateHead[]> {
  const within = { coverage_id: coverage, states: statesOf(filter), most };
  if (!isSought({ filter, words })) return dataOf(backend.rpc('desk_heads', within));
  const trait = isTrait(filter) ? filter : undefined;
  return dataOf(backend.rpc('desk_search', { ...within, words, trait }));
}

/** Whether only the database can tell what belongs to a window. */
export function isSought({ filter, words }: Pick<UpdateWindow, 'filter' | 'words'>): boolean {
  return isTrait(filter) || words.trim() !== '';
}

/** How many updates there are in each state: up to a hundred, of published ones all, or not said. */
export type UpdateCounts = Partial<Record<UpdateState, number>>;

export async function readCounts(backend: Backend, coverage: string): Promise<UpdateCounts> {
  const rows = await dataOf(backend.rpc('desk_counts', { coverage_id: coverage }));
  return Object.fromEntries(rows.map(({ state, updates }) => [state, updates]));
}

/** Updates by their ids, in no order. */
export async function updatesById(backend: Backend, ids: string[]): Promise<DeskUpdate[]> {
  if (ids.length === 0) return [];
  return (await dataOf(backend.from('desk_updates').select('*').in('id', ids))).map(deskUpdate);
}

/** The states of the updates that a filter lets through. */
export function statesOf(filter: UpdateFilter): UpdateState[] {
  return filter === 'work' || isTrait(filter) ? WORK : [filter];
}

const WORK: UpdateState[] = ['draft', 'submitted', 'scheduled', 'published', 'withdrawn'];
const TRAITS: readonly string[] = ['mine', 'key', 'corrected', 'photos'] satisfies UpdateTrait[];

const isTrait = (filter: UpdateFilter): filter is UpdateTrait => TRAITS.includes(filter);

/** The database checks bodies and makes bylines and photos: its types cannot say so. */
function deskUpdate(row: Tables<'desk_updates'>): DeskUpdate {
  return {
    ...row,
    body: row.body as Body,
    bylines: (row.bylines ?? []) as DeskByline[],
    photos: (row.photos ?? []) as DeskPhoto[],
  };
}

export type OpenedDesk =
  | { outcome: 'open'; coverage: DeskCoverage; person: DeskPerson }
  | { outcome: 'moved'; slug: string }
  | { outcome: 'not_found' }
  | { outcome: 'forbidden' };

/** The desk of a coverage for a person: open to them, somewhere else by now, unknown, or not theirs. */
export async function openDesk(backend: Backend, person: Person, slug: string): Promise<OpenedDesk> {
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

/** The active people who may read a desk, for those who may; nobody for anybody else. */
export async function readRoster(backend: Backend, coverage: string): Promise<DeskByline[]> {
  return dataOf(backend.rpc('desk_roster', { coverage_id: coverage }));
}

/** A version of a coverage's summary: who wrote it and when. `by` is null of what the server itself wrote. */
export type SummaryVersion = { version: number; at: string; by: string | null; summary: Body };

/** Versions read at once. */
export const VERSIONS = LIMITS.versions_per_page;

/** The versions of a coverage's summary before a version, newest first. */
export async function readSummaryVersions(
  backend: Backend,
  coverage: string,
  before?: number,
): Promise<SummaryVersion[]> {
  const rows = await dataOf(
    backend.rpc('summary_versions', { coverage_id: coverage, ...(before && { before }) }),
  );
  // The database checks them: its types cannot say so.
  return rows.map((row) => ({ ...row, summary: row.summary as Body }));
}

/** What waits for a person in a coverage, or in none: what was handed in to editors, what readers told. */
export type Waiting = {
  coverage_id: string | null;
  slug: string | null;
  headline: string | null;
  submitted: number;
  tips: number;
};

/** Everything that waits for whoever asks, by coverage; nothing for those whom nothing waits for. */
export function readWaiting(backend: Backend): Promise<Waiting[]> {
  return dataOf(backend.rpc('desk_waiting'));
}

/** What waits, as pages of the desk show it. */
export type SaidWaiting = {
  /** How many things wait altogether. */
  count: number;
  /** A line for each kind and coverage, and where it is done; `short` beside the coverage's own name. */
  lines: { coverage: string | null; href: string; text: string; short: string }[];
};

/** What waits, in words and as ways to it. */
export function sayWaiting(waiting: Waiting[]): SaidWaiting {
  const words = deskList.waits;
  const submitted = waiting
    .filter((part) => part.submitted > 0 && part.slug !== null)
    .map(({ coverage_id, slug, headline, submitted: count }) => ({
      coverage: coverage_id,
      href: `/desk/${slug}`,
      text: words.in(words.submitted(count), headline ?? ''),
      short: words.submitted(count),
    }));
  const tips = waiting
    .filter((part) => part.tips > 0)
    .map(({ coverage_id, slug, headline, tips: count }) => ({
      coverage: coverage_id,
      href: pathWith('/desk/tips', { coverage: slug }),
      text: headline ? words.in(words.tips(count), headline) : words.tips(count),
      short: words.tips(count),
    }));
  const count = waiting.reduce((sum, part) => sum + part.submitted + part.tips, 0);
  return { count, lines: [...submitted, ...tips] };
}
