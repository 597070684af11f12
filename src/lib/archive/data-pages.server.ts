import type { SupabaseClient } from '@supabase/supabase-js';
import { LIMITS } from '../limits.ts';
import { dataOf } from '../supabase/answer.ts';
import type { Database } from '../supabase/database.types.ts';
import type { ArchivedChange, ArchivedHead, ArchivedPhoto, ArchivedUpdate } from './data-format.ts';

/* What readers may see of a coverage, asked of the database piece by piece. */

export type Service = SupabaseClient<Database>;

/** A photo, and where its prints are. */
export type KeptPhoto = ArchivedPhoto & { bucket: string };
export type Said = Omit<ArchivedHead, 'format' | 'version' | 'photos'> & { photos: KeptPhoto[] };

/** @throws Refused when there is no such coverage that readers may see */
export async function readHead(service: Service, slug: string): Promise<Said> {
  return (await dataOf(service.rpc('archived_coverage', { slug }))) as Said;
}

/** Its updates, in the order of their numbers. */
export const readUpdates = (service: Service, coverage_id: string): AsyncGenerator<ArchivedUpdate> =>
  inPages(LIMITS.archived_updates, async (after, most) => {
    const found = await dataOf(service.rpc('archived_updates', { coverage_id, after, most }));
    return (found as ArchivedUpdate[]).map((update) => [update.number, update]);
  });

/** Its changes, in their order. */
export const readChanges = (service: Service, coverage_id: string): AsyncGenerator<ArchivedChange> =>
  inPages(LIMITS.archived_changes, async (after, most) => {
    const found = await dataOf(service.rpc('archived_changes', { coverage_id, after, most }));
    return (found as ArchivedChange[]).map((change) => [change.seq, change]);
  });

/** All rows, a page of them in memory at a time: each is asked for after the place of the last row before it. */
async function* inPages<Row>(
  most: number,
  ask: (after: number, most: number) => Promise<[place: number, row: Row][]>,
): AsyncGenerator<Row> {
  let after = 0;
  for (;;) {
    const found = await ask(after, most);
    for (const [, row] of found) yield row;
    const last = found.at(-1);
    if (!last || found.length < most) return;
    [after] = last;
  }
}
