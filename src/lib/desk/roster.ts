import { dataOf } from '../supabase/answer.ts';
import type { Backend } from './read.ts';
import type { DeskByline } from './update.ts';

/** The active people who may read a desk, for those who may; nobody for anybody else. */
export async function readRoster(backend: Backend, coverage: string): Promise<DeskByline[]> {
  return dataOf(backend.rpc('desk_roster', { coverage_id: coverage }));
}
