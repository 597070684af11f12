import { type SupabaseContext, withSupabase } from '@supabase/server';
import { readObject, sayingWhy, speakingOurCodes, Refused } from '../_shared/refusals.ts';
import { dataOf } from '../_shared/database.ts';
import { pace } from '../_shared/rate-limit.ts';
import { linkOf } from './address.ts';
import { net } from './net.ts';
import { unfurl } from './unfurl.ts';

const LARGEST_CALL_BYTES = 16 * 1024;

/** Calls per minute and person. */
const ask = pace(30, 60_000);

/**
 * Returns the metadata of a page to people with a desk: `{ url }` is answered with `{ url, title, description?, site?
 * }`, which is a link block without its type.
 */
async function handle(request: Request, { supabase, userClaims }: SupabaseContext): Promise<Response> {
  const { url } = await readObject(request, LARGEST_CALL_BYTES);
  await mustHaveDesk(supabase);
  const link = linkOf(url);
  const wait = ask(userClaims?.id ?? '');
  if (wait > 0) throw new Refused('rate_limited', 'too_many_links', { retryAfter: wait });
  return Response.json({ url: link, ...(await unfurl(link, net)) });
}

/** Checks the current permissions in the database, because they may have changed since the token was issued. */
async function mustHaveDesk(supabase: SupabaseContext['supabase']): Promise<void> {
  const me: { role?: string } | null = await dataOf(supabase.rpc('get_me'));
  if (!me?.role || me.role === 'reader') throw new Refused('forbidden', 'account_cannot_write');
}

export default { fetch: speakingOurCodes(withSupabase({ auth: 'user' }, sayingWhy(handle))) };
