import type { Session } from '../auth/session.server.ts';
import { dataOf } from '../supabase/answer.ts';
import type { TipState } from './tip.ts';

/** What somebody told the newsroom while signed in, as they may know it: what was called spam is declined. */
export type OwnTip = {
  id: string;
  body: string;
  state: Exclude<TipState, 'spam'>;
  created_at: string;
  coverage: { slug: string; headline: string } | null;
  /** Where it stands, once that is published. */
  used: { slug: string; number: number } | null;
};

/** The function of the database that answers them, newest first. */
export const OWN_TIPS = 'my_tips';

/** The tips of whoever asks. @throws Refused */
export async function readOwnTips(backend: Session['backend']): Promise<OwnTip[]> {
  return (await dataOf(backend.rpc(OWN_TIPS))) as OwnTip[];
}

/** Those of which there is something to tell that was not known before: another state, or where it is to be read. */
export function newsAmong(before: OwnTip[], now: OwnTip[]): OwnTip[] {
  return now.filter((tip) => {
    const known = before.find(({ id }) => id === tip.id);
    return known && (known.state !== tip.state || (known.used === null && tip.used !== null));
  });
}
