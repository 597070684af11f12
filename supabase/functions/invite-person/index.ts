import { type SupabaseContext, withSupabase } from '@supabase/server';
import { readObject, sayingWhy, speakingOurCodes, Refused } from '../_shared/refusals.ts';
import { dataOf } from '../_shared/database.ts';
import { pace } from '../_shared/rate-limit.ts';
import { type Call, readCall } from './call.ts';
import { join } from './join.ts';
import { linkWith, digestOf, newSecret } from './invite-link.ts';

const LARGEST_CALL_BYTES = 16 * 1024;

/** Calls per hour and person, because each may send a mail. */
const ask = pace(60, 3_600_000);

/**
 * Sends or accepts invites. Owners send `{ act: 'invite', id, email, name, role, coverage_id?, days?, by }` or `{
 * act: 'again', id, by }`. The response is `{ id, mailed: true }` or `{ id, mailed: false, link, why? }`; the link is
 * never shown again. Invited people send `{ act: 'join', token, name, password }`, which creates their account and
 * returns `{ email }`. They accept the invite in a second step.
 */
async function handle(request: Request, context: SupabaseContext): Promise<Response> {
  const call = readCall(await readObject(request, LARGEST_CALL_BYTES));
  if (call.act === 'join') return Response.json(await join(context.supabaseAdmin, call));
  const caller = context.userClaims?.id;
  if (!caller) throw new Refused('signed_out');
  const wait = ask(caller);
  if (wait > 0) throw new Refused('rate_limited', 'too_many_invitations', { retryAfter: wait });
  return Response.json(await invite(context, call));
}

type Invite = { id: string; email: string; name: string; known: boolean };

/** Uses the caller's permissions first: the database checks them before the secret key is used. */
async function invite(
  { supabase, supabaseAdmin }: SupabaseContext,
  call: Exclude<Call, { act: 'join' }>,
): Promise<object> {
  const secret = newSecret();
  const link = linkWith(secret);
  const args = {
    idempotency_key: crypto.randomUUID(),
    invite_id: call.id,
    token_hash: await digestOf(secret),
  };
  const made: Invite = await dataOf(
    call.act === 'invite'
      ? supabase.rpc('invite_person', { ...args, content: call.content })
      : supabase.rpc('renew_invite', args),
  );
  if (call.by === 'link') return { id: made.id, mailed: false, link };
  const why = await mail(supabaseAdmin, made, link);
  return why ? { id: made.id, mailed: false, link, why } : { id: made.id, mailed: true };
}

/**
 * Lets the auth service send its mail with the link. People with an account get the mail for signing in.
 * @returns why it failed: `off` if no mail server is configured
 */
async function mail(
  admin: SupabaseContext['supabaseAdmin'],
  { email, name, known }: Invite,
  link: string,
): Promise<'off' | 'failed' | undefined> {
  const { error } = known
    ? await admin.auth.signInWithOtp({ email, options: { shouldCreateUser: false, emailRedirectTo: link } })
    : await admin.auth.admin.inviteUserByEmail(email, { redirectTo: link, data: { display_name: name } });
  if (!error) return undefined;
  if (error.code === 'email_provider_disabled') return 'off';
  console.error('no mail for an invitation:', error.code, error.message);
  return 'failed';
}

export default {
  fetch: speakingOurCodes(withSupabase({ auth: ['user', 'publishable'] }, sayingWhy(handle))),
};
