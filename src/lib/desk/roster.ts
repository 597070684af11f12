import { dataOf } from '../supabase/answer.ts';
import type { RosterRow } from './presence.ts';
import type { Backend } from './read.ts';

/** The active people who may read a desk, for those who may; nobody for anybody else. */
export async function readRoster(backend: Backend, coverage: string): Promise<RosterRow[]> {
  return dataOf(backend.rpc('desk_roster', { coverage_id: coverage }));
}
