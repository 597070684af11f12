import type { Backend } from '../desk/read.ts';
import { dataOf } from '../supabase/answer.ts';

/** How many wait, as far as they are counted. */
export type TipCounts = { new: number; mine: number; in_review: number; held: number };

/** How many wait. @param coverage its id; those of all, without it */
export async function readTipCounts(backend: Backend, coverage: string | null): Promise<TipCounts> {
  const counts = await dataOf(backend.rpc('tip_counts', coverage ? { coverage } : {}));
  return counts as unknown as TipCounts;
}
