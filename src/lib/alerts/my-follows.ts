import type { SupabaseClient } from '@supabase/supabase-js';
import { dataOf } from '../supabase/answer.ts';
import type { Database, Enums } from '../supabase/database.types.ts';

/* What somebody follows, and how they are told: under their own rights, for the pages that show or change it. */

type Backend = SupabaseClient<Database>;

/** Every update, or key events only. */
export type FollowScope = 'all' | 'key';

/** What can be followed, by its address. */
export type FollowTarget = { coverage: string } | { topic: string };

/** How somebody wants to be told of it; by neither way is not at all. */
export type FollowWish = { scope: FollowScope; mail: boolean; push: boolean };

export type Follow = FollowWish & {
  id: string;
  kind: 'coverage' | 'topic';
  slug: string;
  name: string;
  /** Of a coverage; a topic has none. */
  state: Enums<'coverage_state'> | null;
};

/** A browser that alerts go to. */
export type AlertDevice = { id: string; device: string; created_at: string; last_told_at: string | null };

/** By which ways this newsroom can tell anybody. */
export type AlertMeans = { push_key: string | null; mail: boolean };

export const targetOf = ({ kind, slug }: Pick<Follow, 'kind' | 'slug'>): FollowTarget =>
  kind === 'coverage' ? { coverage: slug } : { topic: slug };

/** @throws Refused */
export async function readMyFollows(backend: Backend): Promise<Follow[]> {
  return (await dataOf(backend.rpc('my_follows'))) as Follow[];
}

/** The browsers that alerts of this person go to. @throws Refused */
export async function readMyAlertDevices(backend: Backend): Promise<AlertDevice[]> {
  return dataOf(backend.rpc('my_push'));
}

/** @throws Refused */
export async function readAlertMeans(backend: Backend): Promise<AlertMeans> {
  return (await dataOf(backend.rpc('alert_means'))) as AlertMeans;
}

/** Follows it in this way from now on. @returns whether it is followed then @throws Refused */
export async function saveFollow(backend: Backend, target: FollowTarget, wish: FollowWish): Promise<boolean> {
  const kept = await dataOf(backend.rpc('save_follow', { op: crypto.randomUUID(), target, ...wish }));
  return kept !== null;
}

/** Sends no more alerts to a browser. @throws Refused */
export async function dropAlertDevice(backend: Backend, id: string): Promise<void> {
  await dataOf(backend.rpc('drop_push', { op: crypto.randomUUID(), id }));
}
