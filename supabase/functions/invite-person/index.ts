import { type SupabaseContext, withSupabase } from '@supabase/server';
import { readObject, sayingWhy, speakingOurCodes } from '../_shared/answer.ts';
import { dataOf } from '../_shared/database.ts';
import { pace } from '../_shared/pace.ts';
import { Refused } from '../_shared/refused.ts';
import { type Call, readCall } from './call.ts';
import { join } from './join.ts';
import { linkWith } from './link.ts';
import { digestOf, newSecret } from './secret.ts';

const LARGEST_CALL_BYTES = 16 * 1024;

/** An hour, for one person: each may cost a mail. */
const ask = pace(60, 3_600_000);

/**
 * Invites somebody, or lets in whoever was. By an owner, `{ act: 'invite', id, email, name, role, coverage_id?, days?, by }`
 * and `{ act: 'again', id, by }` are answered with `{ id, mailed: true }`, or with `{ id, mailed: false, link, why? }`, which
 * nobody is ever told again. `{ act: 'join', token, name, password }`, by whoever holds the secret, makes
 * the account that it is for: `{ email }`; to accept is then that person's own press.
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

/** Under the caller's own rights first: the database says who may invite, before the secret key is used. */
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
 * Has the auth service send its own mail, which leads to the link: whoever has an account gets the one that signs in.
 * @returns why it could not: `off` where no mail is sent at all
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
