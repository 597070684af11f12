import type { SupabaseClient } from '@supabase/supabase-js';
import type { Database } from '../domain/database.types.ts';
import type { OwnTip } from '../domain/tips.ts';
import { dataOf } from './result.ts';

/** The function of the database that answers them, newest first. */
export const OWN_TIPS = 'my_tips';

/** The tips of whoever asks. @throws Refused */
export async function readOwnTips(backend: SupabaseClient<Database>): Promise<OwnTip[]> {
  return (await dataOf(backend.rpc(OWN_TIPS))) as OwnTip[];
}

/** Those of which there is something to tell that was not known before: another state, or where it is to be read. */
export function newsAmong(before: OwnTip[], now: OwnTip[]): OwnTip[] {
  return now.filter((tip) => {
    const known = before.find(({ id }) => id === tip.id);
    return known && (known.state !== tip.state || (known.used === null && tip.used !== null));
  });
}
