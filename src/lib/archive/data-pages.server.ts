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
export async function* readUpdates(service: Service, coverage_id: string): AsyncGenerator<ArchivedUpdate> {
  const most = LIMITS.archived_updates;
  let after = 0;
  for (;;) {
    const found = (await dataOf(
      service.rpc('archived_updates', { coverage_id, after, most }),
    )) as ArchivedUpdate[];
    yield* found;
    const last = found.at(-1);
    if (!last || found.length < most) return;
    after = last.number;
  }
}

/** Its changes, in their order. */
export async function* readChanges(service: Service, coverage_id: string): AsyncGenerator<ArchivedChange> {
  const most = LIMITS.archived_changes;
  let after = 0;
  for (;;) {
    const found = (await dataOf(
      service.rpc('archived_changes', { coverage_id, after, most }),
    )) as ArchivedChange[];
    yield* found;
    const last = found.at(-1);
    if (!last || found.length < most) return;
    after = last.seq;
  }
}
