import {
  type AuthError,
  isAuthRetryableFetchError,
  type SupabaseClient,
  type VerifyOtpParams,
} from '@supabase/supabase-js';
import type { Database } from '../domain/database.types.ts';
import { MAIL_INTERVAL_S, type MailedType } from '../domain/mail-links.ts';
import type { Person } from '../domain/permissions.ts';
import { RETENTION } from '../domain/retention.ts';
import { HOME } from '../domain/return-path.ts';
import { accounts } from '../i18n/accounts.ts';
import { type Refusal, refusal, refusalOrThrow } from '../i18n/refusals.ts';
import type { Credentials, NewAccount } from './credentials.ts';
import { readPerson } from './session.server.ts';
import { askedToWait } from './session-client.server.ts';
import { siteUrl } from './site-address.ts';

export type Outcome = { person: Person } | { refusal: Refusal };

/** Who has just begun a session. A closed account's ends again at once. */
export async function admitted(backend: SupabaseClient<Database>): Promise<Outcome> {
  try {
    const person = await readPerson(backend);
    if (person) return { person };
  } catch (error) {
    return { refusal: refusalOrThrow(error) };
  }
  await backend.auth.signOut({ scope: 'local' });
  return { refusal: refusal('forbidden', { sentence: accounts.problems.closed }) };
}

/** How a session was begun, as its access token says: `amr`. Seconds since 1970. */
type Method = string | { method: string; timestamp: number };

/** What only somebody who reads the account's mail can begin a session with, in GoTrue's words. */
const BY_MAIL = ['otp', 'magiclink', 'recovery', 'invite', 'email/signup', 'email_change'];

/** As long as a mailed link lives. */
const PROOF_LASTS_S = RETENTION.linkMinutes * 60;

/**
 * Whether whoever holds a session has shown within the hour that the account's mail reaches them: then a new password
 * may be chosen without the old one.
 * @param now seconds since 1970
 */
export function provedMailbox(methods: Method[] | undefined, now = Date.now() / 1000): boolean {
  return (methods ?? []).some(
    (one) =>
      typeof one === 'object' &&
      BY_MAIL.includes(one.method) &&
      Math.abs(now - one.timestamp) <= PROOF_LASTS_S,
  );
}

type Backend = SupabaseClient<Database>;

/** What the backend's auth service refused, in our words. */
export function authRefusal(error: AuthError, backend: Backend): Refusal {
  if (isAuthRetryableFetchError(error))
    return refusal('unavailable', { sentence: accounts.problems.unavailable });
  switch (error.code) {
    case 'invalid_credentials':
      return refusal('invalid', { sentence: accounts.problems.credentials });
    case 'email_not_confirmed':
      return refusal('invalid', { sentence: accounts.problems.unconfirmed });
    case 'user_already_exists':
    case 'email_exists':
      return refusal('invalid', { field: 'email', sentence: accounts.problems.taken });
    case 'email_address_invalid':
    case 'validation_failed':
      return refusal('invalid', { field: 'email', sentence: accounts.problems.email });
    case 'weak_password':
      return refusal('invalid', { field: 'password', sentence: accounts.problems.passwordWeak });
    case 'same_password':
      return refusal('invalid', { field: 'password', sentence: accounts.problems.samePassword });
    case 'current_password_required':
    case 'current_password_mismatch':
      return refusal('forbidden', { sentence: accounts.problems.unproved });
    case 'otp_expired':
      return refusal('invalid', { field: 'code', sentence: accounts.problems.codeWrong });
    case 'email_provider_disabled':
      return refusal('bad_state', { sentence: accounts.problems.noMail });
    case 'user_banned':
      return refusal('forbidden', { sentence: accounts.problems.closed });
    case 'session_not_found':
      return refusal('signed_out');
    // Characters that no text has, a zero byte most likely.
    case 'bad_json':
      return refusal('invalid');
  }
  if (error.code === 'over_email_send_rate_limit') {
    const retryAfter = secondsToWait(error, backend) ?? 3600;
    return refusal('rate_limited', { retryAfter, sentence: accounts.problems.tooManyMails(retryAfter) });
  }
  if (error.status === 429) {
    const retryAfter = secondsToWait(error, backend) ?? 60;
    return refusal('rate_limited', { retryAfter, sentence: accounts.problems.tooMany(retryAfter) });
  }
  return refusal('internal');
}

/**
 * Whether a mail that was asked for is on its way, as far as anybody may know: it is the same answer when there is no
 * such account, and when one was sent a moment ago.
 */
export function isOnItsWay(error: AuthError | null, backend: Backend): boolean {
  if (!error || error.code === 'otp_disabled') return true;
  if (error.code !== 'over_email_send_rate_limit') return false;
  return (secondsToWait(error, backend) ?? Number.POSITIVE_INFINITY) <= MAIL_INTERVAL_S;
}

/** Seconds that a 429 asks to wait, where it says: GoTrue writes them into its sentence only. */
function secondsToWait(error: AuthError, backend: Backend): number | undefined {
  const said = /\b(\d+) seconds?\b/.exec(error.message)?.[1];
  return askedToWait(backend) ?? (said ? Number(said) : undefined);
}

/** Begins a session. A wrong password and an unknown account are refused in the same words. */
export async function signIn(backend: Backend, { email, password }: Credentials): Promise<Outcome> {
  const { error } = await backend.auth.signInWithPassword({ email, password });
  return error ? { refusal: authRefusal(error, backend) } : admitted(backend);
}

/**
 * Makes an account, and begins its session where the backend asks for no confirmation first.
 * @param next path to go on to from the link of the mail
 */
export async function signUp(
  backend: Backend,
  { email, password, name }: NewAccount,
  next: string | null,
): Promise<Outcome | 'confirm'> {
  const { data, error } = await backend.auth.signUp({
    email,
    password,
    options: { data: { display_name: name }, emailRedirectTo: siteUrl(next ?? HOME) },
  });
  if (error) return isOnItsWay(error, backend) ? 'confirm' : { refusal: authRefusal(error, backend) };
  return data.session ? admitted(backend) : 'confirm';
}

/** Ends this session, here only. The cookie goes even when the backend cannot be asked. */
export async function signOut(backend: Backend): Promise<void> {
  await backend.auth.signOut({ scope: 'local' });
}

/** The address of the account that is signed in, and whether its mail has lately been shown to reach this person. */
export async function readMailbox(backend: Backend): Promise<{ email: string; proved: boolean }> {
  const { data } = await backend.auth.getClaims();
  return { email: data?.claims.email ?? '', proved: provedMailbox(data?.claims.amr) };
}

/**
 * Gives the account of a session another password; the backend ends the account's other sessions.
 * @param current the password so far: needed unless a mail has just begun the session
 * @returns why not, or nothing
 */
export async function choosePassword(
  backend: Backend,
  password: string,
  current?: string,
): Promise<Refusal | undefined> {
  const { error } = await backend.auth.updateUser({ password, current_password: current });
  return error ? authRefusal(error, backend) : undefined;
}

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
