import { type SupabaseContext, withSupabase } from '@supabase/server';
import { dataOf } from '../_shared/database.ts';
import { createRateLimit } from '../_shared/rate-limit.ts';
import { explainErrors, Refused, readJsonObject, withErrorCodes } from '../_shared/refusals.ts';
import { readLink } from './address.ts';
import { denoNetwork } from './net.ts';
import { unfurl } from './unfurl.ts';

const MAX_BODY_BYTES = 16 * 1024;

/** Calls per minute and person. */
const limitCalls = createRateLimit(30, 60_000);

/**
 * Returns the metadata of a page to people with a desk: `{ url }` is answered with `{ url, title, description?, site?
 * }`, which is a link block without its type.
 */
async function handle(request: Request, { supabase, userClaims }: SupabaseContext): Promise<Response> {
  const { url } = await readJsonObject(request, MAX_BODY_BYTES);
  await requireDesk(supabase);
  const link = readLink(url);
  const wait = limitCalls(userClaims?.id ?? '');
  if (wait > 0) throw new Refused('rate_limited', 'too_many_links', { retryAfter: wait });
  return Response.json({ url: link, ...(await unfurl(link, denoNetwork)) });
}

/** Checks the current permissions in the database, because they may have changed since the token was issued. */
async function requireDesk(supabase: SupabaseContext['supabase']): Promise<void> {
  const me: { role?: string } | null = await dataOf(supabase.rpc('get_me'));
  if (!me?.role || me.role === 'reader') throw new Refused('forbidden', 'account_cannot_write');
}

export default { fetch: withErrorCodes(withSupabase({ auth: 'user' }, explainErrors(handle))) };
