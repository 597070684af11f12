import { type SupabaseContext, withSupabase } from '@supabase/server';
import { denoNetwork } from '../_shared/deno.ts';
import { readLink } from '../_shared/network.ts';
import { createRateLimit } from '../_shared/rate-limit.ts';
import {
  dataOf,
  explainErrors,
  notUnderstood,
  Refused,
  readJsonObject,
  withErrorCodes,
} from '../_shared/refusals.ts';
import { readPost } from './posts.ts';
import { readTable } from './table.ts';
import { unfurl } from './unfurl.ts';

const MAX_BODY_BYTES = 16 * 1024;

/** Calls per minute and person. */
const limitCalls = createRateLimit(30, 60_000);

/**
 * Reads a page for people with a desk. `{ url }` is answered with its metadata, `{ url, title, description?, site?
 * }`, which is a link block without its type. `{ url, isPost: true }` is answered with the post at the address, as a
 * post block without type and times of the newsroom. `{ url, isTable: true }` is answered with the cells of the CSV
 * file at the address, by row. `{ ticket }` is answered in the same way: it comes from the website, which reads tables
 * once a minute and has no session. This function has no secret key, so the ticket proves the website's right.
 */
async function handle(request: Request, { supabase, userClaims }: SupabaseContext): Promise<Response> {
  const { url, ticket, isPost, isTable } = await readJsonObject(request, MAX_BODY_BYTES);
  if (ticket !== undefined)
    return Response.json(await readTable(await addressOf(supabase, ticket), denoNetwork));
  if (!userClaims) throw new Refused('signed_out');
  await requireDesk(supabase);
  const link = readLink(url);
  const wait = limitCalls(userClaims.id);
  if (wait > 0) throw new Refused('rate_limited', 'too_many_links', { retryAfter: wait });
  if (isPost === true) return Response.json(await readPost(link, denoNetwork));
  if (isTable === true) return Response.json(await readTable(link, denoNetwork));
  return Response.json({ url: link, ...(await unfurl(link, denoNetwork)) });
}

/** Returns the address of a reading that the website has claimed. @throws Refused `not_found`, `invalid` */
async function addressOf(supabase: SupabaseContext['supabase'], ticket: unknown): Promise<string> {
  if (typeof ticket !== 'string' || !UUID.test(ticket)) throw notUnderstood('ticket');
  const address: string | null = await dataOf(supabase.rpc('table_reading_url', { ticket }));
  if (address === null) throw new Refused('not_found', 'not_found_or_hidden');
  return readLink(address);
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Checks the current permissions in the database, because they may have changed since the token was issued. */
async function requireDesk(supabase: SupabaseContext['supabase']): Promise<void> {
  const me: { role?: string } | null = await dataOf(supabase.rpc('get_me'));
  if (!me?.role || me.role === 'reader') throw new Refused('forbidden', 'account_cannot_write');
}

export default {
  fetch: withErrorCodes(withSupabase({ auth: ['user', 'publishable'] }, explainErrors(handle))),
};
