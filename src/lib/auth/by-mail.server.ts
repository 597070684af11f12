import type { AuthError, SupabaseClient, VerifyOtpParams } from '@supabase/supabase-js';
import { type Refusal, refusal } from '../http/errors.ts';
import { siteUrl } from '../site/address.ts';
import type { Database } from '../supabase/database.types.ts';
import { accounts } from '../text/accounts.ts';
import { admitted, type Outcome } from './admission.server.ts';
import type { MailedType } from './mailed-link.ts';
import { HOME } from './next.ts';
import { authRefusal, isOnItsWay } from './refusal.server.ts';

type Backend = SupabaseClient<Database>;

/**
 * Asks for a mail.
 * @returns why none was sent; nothing when it was, and when there is no such account, which nobody is told
 */
type Ask = (backend: Backend, email: string, next: string | null) => Promise<Refusal | undefined>;

/** A link and a code that sign in. */
export const mailSignIn: Ask = (backend, email, next) => mailWayIn(backend, email, next, false);

/** The same for whoever would be told of what is new: one who has no account gets it by confirming the address. */
export const mailFollow: Ask = (backend, email, next) => mailWayIn(backend, email, next, true);

async function mailWayIn(
  backend: Backend,
  email: string,
  next: string | null,
  shouldCreateUser: boolean,
): Promise<Refusal | undefined> {
  const options = { shouldCreateUser, emailRedirectTo: siteUrl(next ?? HOME) };
  const { error } = await backend.auth.signInWithOtp({ email, options });
  return whyNotMailed(error, backend);
}

/** A link and a code that let somebody choose a new password. */
export const mailRecovery: Ask = async (backend, email) => {
  const { error } = await backend.auth.resetPasswordForEmail(email);
  return whyNotMailed(error, backend);
};

/** Once more the link and the code that confirm a new account. */
export const mailConfirmation: Ask = async (backend, email, next) => {
  const options = { emailRedirectTo: siteUrl(next ?? HOME) };
  const { error } = await backend.auth.resend({ type: 'signup', email, options });
  return whyNotMailed(error, backend);
};

function whyNotMailed(error: AuthError | null, backend: Backend): Refusal | undefined {
  if (!error || isOnItsWay(error, backend)) return undefined;
  const reason = authRefusal(error, backend);
  return reason.code === 'internal'
    ? refusal('unavailable', { sentence: accounts.problems.mailFailed })
    : reason;
}

/** What of a mail is handed in: the code with the address it went to, or the link's hash. */
type MailedToken = { type: MailedType } & ({ email: string; token: string } | { token_hash: string });

/**
 * Uses up a link or a code and begins the session that it is good for, in the place of one that is there already.
 * @returns `half` when another address has to confirm too before anything changes
 */
export async function redeem(backend: Backend, mailed: MailedToken): Promise<Outcome | 'half'> {
  const { data: before } = await backend.auth.getSession();
  const { data, error } = await backend.auth.verifyOtp(mailed satisfies VerifyOtpParams);
  if (error) return { refusal: authRefusal(error, backend) };
  if (!data.session) return 'half';
  if (before.session) await backend.auth.admin.signOut(before.session.access_token, 'local');
  return admitted(backend);
}
