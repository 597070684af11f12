import type { SupabaseClient } from '@supabase/supabase-js';
import type { Body } from '../body/blocks.ts';
import type { DeskPhoto } from '../photos/photo.ts';
import { dataOf } from '../supabase/answer.ts';
import type { Database, Tables } from '../supabase/database.types.ts';
import type { DeskCoverage } from './coverage.ts';
import type { DeskByline, DeskUpdate, UpdateHead, UpdateState } from './update.ts';

/* Every read is under the caller's own rights: pages call these with a session's client, islands with theirs. */

export type Backend = SupabaseClient<Database>;

/**
 * Which updates of a coverage are looked at: `work` is everything that was not spiked; of what a trait leaves in, too.
 */
export type UpdateFilter = 'work' | UpdateState | UpdateTrait;
export type UpdateTrait = 'mine' | 'key' | 'corrected' | 'photos';
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
