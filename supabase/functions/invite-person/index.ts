import { type SupabaseContext, withSupabase } from '@supabase/server';
import { base64Url, sha256Hex } from '../_shared/crypto.ts';
import { websiteUrl } from '../_shared/deno.ts';
import { createRateLimit } from '../_shared/rate-limit.ts';
import {
  dataOf,
  explainErrors,
  notUnderstood,
  Refused,
  readJsonObject,
  textField,
  withErrorCodes,
} from '../_shared/refusals.ts';

const MAX_BODY_BYTES = 16 * 1024;

/** Calls per hour and person, because each may send a mail. */
const limitInvites = createRateLimit(60, 3_600_000);

/**
 * Sends or accepts invites. Owners send `{ act: 'invite', id, email, name, role, coverage_id?, days?, by }` or `{
 * act: 'again', id, by }`. The response is `{ id, mailed: true }` or `{ id, mailed: false, link, why? }`; the link is
 * never shown again. Invited people send `{ act: 'join', token, name, password }`, which creates their account and
 * returns `{ email }`. They accept the invite in a second step.
 */
async function handle(request: Request, context: SupabaseContext): Promise<Response> {
  const call = readInviteRequest(await readJsonObject(request, MAX_BODY_BYTES));
  if (call.act === 'join') return Response.json(await createInvitedAccount(context.supabaseAdmin, call));
  const caller = context.userClaims?.id;
  if (!caller) throw new Refused('signed_out');
  const wait = limitInvites(caller);
  if (wait > 0) throw new Refused('rate_limited', 'too_many_invitations', { retryAfter: wait });
  return Response.json(await invite(context, call));
}

/** Returns 256 random bits in base64url. */
function newSecret(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(32)));
}

/**
 * Returns the URL of an invite. It is not made from the request, so that no caller can have the secret mailed in a link
 * to another site.
 */
const inviteLink = (secret: string): string => websiteUrl(`/invites/${secret}`);

type Invite = { id: string; email: string; name: string; has_account: boolean };

/** Creates or renews an invite. The database checks the caller's permissions before the secret key is used. */
async function invite(
  { supabase, supabaseAdmin }: SupabaseContext,
  call: Exclude<InviteRequest, { act: 'join' }>,
): Promise<object> {
  const secret = newSecret();
  const link = inviteLink(secret);
  const args = {
    idempotency_key: crypto.randomUUID(),
    invite_id: call.id,
    token_hash: await sha256Hex(secret),
  };
  const created: Invite = await dataOf(
    call.act === 'invite'
      ? supabase.rpc('invite_person', { ...args, content: call.content })
      : supabase.rpc('renew_invite', args),
  );
  if (call.by === 'link') return { id: created.id, mailed: false, link };
  const why = await mail(supabaseAdmin, created, link);
  return why ? { id: created.id, mailed: false, link, why } : { id: created.id, mailed: true };
}

/**
 * Lets the auth service send its mail with the link. People with an account get the mail for signing in.
 * @returns why it failed: `off` if no mail server is configured
 */
async function mail(
  admin: SupabaseContext['supabaseAdmin'],
  { email, name, has_account }: Invite,
  link: string,
): Promise<'off' | 'failed' | undefined> {
  const { error } = has_account
    ? await admin.auth.signInWithOtp({ email, options: { shouldCreateUser: false, emailRedirectTo: link } })
    : await admin.auth.admin.inviteUserByEmail(email, { redirectTo: link, data: { display_name: name } });
  if (!error) return undefined;
  if (error.code === 'email_provider_disabled') return 'off';
  console.error('no mail for an invitation:', error.code, error.message);
  return 'failed';
}

type Account = { email: string; person: string | null; has_account: boolean };
type JoinRequest = Extract<InviteRequest, { act: 'join' }>;

/**
 * Creates the account of an invite with a confirmed address: the secret was sent to it or passed on by an owner. An
 * account whose address was never confirmed gets the new password.
 * @throws Refused `gone` for an expired invite, `conflict` if there is a confirmed account
 */
async function createInvitedAccount(
  admin: SupabaseContext['supabaseAdmin'],
  { token, name, password }: JoinRequest,
): Promise<{ email: string }> {
  const { email, person, has_account }: Account = await dataOf(admin.rpc('invited_account', { token }));
  if (has_account) throw new Refused('conflict', 'account_exists');
  // The auth service would create an account without a password.
  if (password === '') throw new Refused('invalid', 'password_not_accepted', { field: 'password' });
  const account = { password, email_confirm: true, user_metadata: { display_name: name } };
  const { error } = person
    ? await admin.auth.admin.updateUserById(person, account)
    : await admin.auth.admin.createUser({ email, ...account });
  if (!error) return { email };
  if (error.code === 'email_exists') throw new Refused('conflict', 'account_exists');
  if (error.code === 'weak_password' || error.code === 'validation_failed') {
    throw new Refused('invalid', 'password_not_accepted', { field: 'password' });
  }
  console.error('no account for an invitation:', error.code, error.message);
  throw new Refused('unavailable', 'account_not_created');
}

/** Request body: owners send `invite` and `again`, invited people send `join`. */
type InviteRequest =
  | ({ act: 'invite'; id: string; content: Record<string, unknown> } & InviteDelivery)
  | ({ act: 'again'; id: string } & InviteDelivery)
  | { act: 'join'; token: string; name: string; password: string };

/** By mail, or as a link to pass on. */
type InviteDelivery = { by: 'mail' | 'link' };

/** Fields of an invite that the database validates. */
const CONTENT = ['email', 'name', 'role', 'coverage_id', 'days'];

/** Reads a request body. @throws Refused `invalid` */
function readInviteRequest(sent: Record<string, unknown>): InviteRequest {
  if (sent.act === 'join') {
    const [token, name, password] = ['token', 'name', 'password'].map((field) => textField(sent, field));
    return { act: 'join', token, name, password };
  }
  const id = textField(sent, 'id');
  const by = sent.by === 'link' ? 'link' : 'mail';
  if (sent.act === 'again') return { act: 'again', id, by };
  if (sent.act !== 'invite') throw notUnderstood('act');
  const content = Object.fromEntries(
    CONTENT.flatMap((field) => (field in sent ? [[field, sent[field]]] : [])),
  );
  return { act: 'invite', id, content, by };
}

export default {
  fetch: withErrorCodes(withSupabase({ auth: ['user', 'publishable'] }, explainErrors(handle))),
};
