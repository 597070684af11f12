import { type AuthError, isAuthRetryableFetchError, type VerifyOtpParams } from '@supabase/supabase-js';
import type { ErrorCode } from '../domain/errors.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Person } from '../domain/permissions.ts';
import { RETENTION } from '../domain/retention.ts';
import { HOME, MAIL_INTERVAL_S, type MailedType } from '../domain/sign-in.ts';
import type { Messages } from '../i18n/messages.ts';
import { type Refusal, refusal, refusalOrThrow } from '../i18n/refusals.ts';
import { siteUrl } from './environment.ts';
import { fieldText, type Problems } from './forms.ts';
import type { BackendClient } from './result.ts';
import { readPerson, retryAfterOf } from './session.server.ts';

type SignInResult = { person: Person } | { refusal: Refusal };

/** Returns the person of a session that has just begun. Ends the session at once if the account is closed. */
async function readSignedIn(backend: BackendClient): Promise<SignInResult> {
  try {
    const person = await readPerson(backend);
    if (person) return { person };
  } catch (error) {
    return { refusal: refusalOrThrow(error) };
  }
  await backend.auth.signOut({ scope: 'local' });
  return { refusal: refusal('forbidden', { message: ({ accounts }) => accounts.problems.closed }) };
}

/** How a session began: the `amr` claim of its access token. `timestamp` is in seconds since 1970. */
type Method = string | { method: string; timestamp: number };

/** GoTrue's methods that prove access to the account's mailbox. */
const MAIL_METHODS = ['otp', 'magiclink', 'recovery', 'invite', 'email/signup', 'email_change'];

/** A proof is valid as long as a mailed link. */
const PROOF_LIFETIME_S = RETENTION.linkMinutes * 60;

/**
 * Whether the session began with a mailed link or code within the last hour. Then a new password can be chosen
 * without the old one.
 * @param now seconds since 1970
 */
export function hasProvedMailbox(methods: Method[] | undefined, now = Date.now() / 1000): boolean {
  return (methods ?? []).some(
    (one) =>
      typeof one === 'object' &&
      MAIL_METHODS.includes(one.method) &&
      Math.abs(now - one.timestamp) <= PROOF_LIFETIME_S,
  );
}

type AccountProblems = Messages['accounts']['problems'];
/** Messages without parameters. */
type AccountProblem = {
  [Name in keyof AccountProblems]: AccountProblems[Name] extends string ? Name : never;
}[keyof AccountProblems];

/** Errors of the auth service: our code, the message, and the invalid field. */
const AUTH_ERRORS: Record<string, [code: ErrorCode, message: AccountProblem, field?: string]> = {
  invalid_credentials: ['invalid', 'credentials'],
  email_not_confirmed: ['invalid', 'unconfirmed'],
  user_already_exists: ['invalid', 'emailInUse', 'email'],
  email_exists: ['invalid', 'emailInUse', 'email'],
  email_address_invalid: ['invalid', 'email', 'email'],
  validation_failed: ['invalid', 'email', 'email'],
  weak_password: ['invalid', 'passwordWeak', 'password'],
  same_password: ['invalid', 'samePassword', 'password'],
  current_password_required: ['forbidden', 'unproved'],
  current_password_mismatch: ['forbidden', 'unproved'],
  otp_expired: ['invalid', 'codeWrong', 'code'],
  email_provider_disabled: ['bad_state', 'noMail'],
  user_banned: ['forbidden', 'closed'],
};

/** Translates an error of the auth service to a refusal. */
export function authRefusal(error: AuthError, backend: BackendClient): Refusal {
  if (isAuthRetryableFetchError(error))
    return refusal('unavailable', { message: ({ accounts }) => accounts.problems.unavailable });
  const [code, message, field] = AUTH_ERRORS[error.code ?? ''] ?? [];
  if (code && message) return refusal(code, { field, message: ({ accounts }) => accounts.problems[message] });
  if (error.code === 'session_not_found') return refusal('signed_out');
  // Invalid characters in the request, usually a zero byte.
  if (error.code === 'bad_json') return refusal('invalid');
  if (error.code === 'over_email_send_rate_limit') {
    const retryAfter = secondsToWait(error, backend) ?? 3600;
    return refusal('rate_limited', {
      retryAfter,
      message: ({ accounts }) => accounts.problems.tooManyMails(retryAfter),
    });
  }
  if (error.status === 429) {
    const retryAfter = secondsToWait(error, backend) ?? 60;
    return refusal('rate_limited', {
      retryAfter,
      message: ({ accounts }) => accounts.problems.tooMany(retryAfter),
    });
  }
  return refusal('internal');
}

/**
 * Whether to report that the mail was sent. The answer is the same if there is no such account or a mail was sent a
 * moment ago, so that it does not reveal which accounts exist.
 */
export function isReportedAsSent(error: AuthError | null, backend: BackendClient): boolean {
  if (!error || error.code === 'otp_disabled') return true;
  if (error.code !== 'over_email_send_rate_limit') return false;
  return (secondsToWait(error, backend) ?? Number.POSITIVE_INFINITY) <= MAIL_INTERVAL_S;
}

/** Returns the seconds to wait after a 429. GoTrue writes them only into its message. */
function secondsToWait(error: AuthError, backend: BackendClient): number | undefined {
  const seconds = /\b(\d+) seconds?\b/.exec(error.message)?.[1];
  return retryAfterOf(backend) ?? (seconds ? Number(seconds) : undefined);
}

/** Starts a session. A wrong password and an unknown account get the same refusal. */
export async function signIn(
  backend: BackendClient,
  { email, password }: Credentials,
): Promise<SignInResult> {
  const { error } = await backend.auth.signInWithPassword({ email, password });
  return error ? { refusal: authRefusal(error, backend) } : readSignedIn(backend);
}

/**
 * Creates an account. Starts its session unless the backend requires a confirmation first.
 * @param next path to continue to from the mailed link
 */
export async function signUp(
  backend: BackendClient,
  { email, password, name }: NewAccount,
  next: string | null,
): Promise<SignInResult | 'confirm'> {
  const { data, error } = await backend.auth.signUp({
    email,
    password,
    options: { data: { display_name: name }, emailRedirectTo: siteUrl(next ?? HOME) },
  });
  if (error) return isReportedAsSent(error, backend) ? 'confirm' : { refusal: authRefusal(error, backend) };
  return data.session ? readSignedIn(backend) : 'confirm';
}

/** Ends the session in this browser only. The cookie is deleted even if the backend is unavailable. */
export async function signOut(backend: BackendClient): Promise<void> {
  await backend.auth.signOut({ scope: 'local' });
}

/** Returns the address of the signed-in account, and whether the session proves access to its mailbox. */
export async function readMailbox(backend: BackendClient): Promise<{ email: string; proved: boolean }> {
  const { data } = await backend.auth.getClaims();
  return { email: data?.claims.email ?? '', proved: hasProvedMailbox(data?.claims.amr) };
}

/**
 * Changes the password of the signed-in account. The backend ends the account's other sessions.
 * @param current the current password. Not needed if the session began with a mailed link.
 * @returns the refusal, or undefined
 */
export async function choosePassword(
  backend: BackendClient,
  password: string,
  current?: string,
): Promise<Refusal | undefined> {
  const { error } = await backend.auth.updateUser({ password, current_password: current });
  return error ? authRefusal(error, backend) : undefined;
}

/**
 * Requests a mail.
 * @returns the refusal; undefined if the mail was sent, and also if there is no such account
 */
type RequestMail = (
  backend: BackendClient,
  email: string,
  next: string | null,
) => Promise<Refusal | undefined>;

/** Mails a link and a code for signing in. */
export const requestSignInMail: RequestMail = async (backend, email, next) => {
  const options = { shouldCreateUser: false, emailRedirectTo: siteUrl(next ?? HOME) };
  const { error } = await backend.auth.signInWithOtp({ email, options });
  return mailRefusal(error, backend);
};

/** Mails a link and a code for choosing a new password. */
export const mailRecovery: RequestMail = async (backend, email) => {
  const { error } = await backend.auth.resetPasswordForEmail(email);
  return mailRefusal(error, backend);
};

/** Mails the link and the code that confirm a new account again. */
export const mailConfirmation: RequestMail = async (backend, email, next) => {
  const options = { emailRedirectTo: siteUrl(next ?? HOME) };
  const { error } = await backend.auth.resend({ type: 'signup', email, options });
  return mailRefusal(error, backend);
};

function mailRefusal(error: AuthError | null, backend: BackendClient): Refusal | undefined {
  if (!error || isReportedAsSent(error, backend)) return undefined;
  const reason = authRefusal(error, backend);
  return reason.code === 'internal'
    ? refusal('unavailable', { message: ({ accounts }) => accounts.problems.mailFailed })
    : reason;
}

/** Token of a mail: a code with its address, or the hash in a link. */
type MailedToken = { type: MailedType } & ({ email: string; token: string } | { token_hash: string });

/**
 * Verifies a mailed link or code and starts its session. An existing session ends.
 * @returns `half` if a second address has to be confirmed before the change takes effect
 */
export async function verifyToken(
  backend: BackendClient,
  mailed: MailedToken,
): Promise<SignInResult | 'half'> {
  const { data: before } = await backend.auth.getSession();
  const { data, error } = await backend.auth.verifyOtp(mailed satisfies VerifyOtpParams);
  if (error) return { refusal: authRefusal(error, backend) };
  if (!data.session) return 'half';
  if (before.session) await backend.auth.admin.signOut(before.session.access_token, 'local');
  return readSignedIn(backend);
}

type Credentials = { email: string; password: string };
export type NewAccount = Credentials & { name: string };

/** Maximum length of an address in RFC 5321. */
const MAX_EMAIL_LENGTH = 254;
/** bcrypt ignores everything after 72 bytes. */
const MAX_PASSWORD_BYTES = 72;

export function readCredentials(form: FormData): Credentials {
  return { email: submittedEmail(form), password: readPassword(form) };
}

export function submittedEmail(form: FormData): string {
  return fieldText(form, 'email').trim();
}

/** Not trimmed: a space may be part of a password. */
export function readPassword(form: FormData): string {
  return fieldText(form, 'password');
}

export function readNewAccount(form: FormData): NewAccount {
  return { ...readCredentials(form), name: fieldText(form, 'name').trim() };
}

/** Our codes have 8 digits. Hosted projects can be configured for 6 to 10. */
const CODE = /^\d{6,10}$/;

/** Returns the code of a mail without spaces and dashes; undefined if it has the wrong form. */
export function readMailCode(form: FormData): string | undefined {
  const code = fieldText(form, 'code').replace(/[\s\-–]/g, '');
  return CODE.test(code) ? code : undefined;
}

/** Validates credentials without the backend, so the result does not reveal whether an account exists. */
export function credentialProblems(
  messages: Messages,
  { email, password }: Credentials,
): Problems<'email' | 'password'> {
  return {
    ...(isEmail(email) ? {} : { email: messages.accounts.problems.email }),
    ...(password === '' ? { password: messages.accounts.problems.password } : {}),
  };
}

export function newAccountProblems(
  messages: Messages,
  account: NewAccount,
): Problems<'email' | 'password' | 'name'> {
  const password = passwordProblem(messages, account.password, account.email);
  const name = nameProblem(messages, account.name);
  return {
    ...(name ? { name } : {}),
    ...(isEmail(account.email) ? {} : { email: messages.accounts.problems.email }),
    ...(password ? { password } : {}),
  };
}

/** Returns what is wrong with a password: its length, or that it equals the e-mail address. */
export function passwordProblem(messages: Messages, password: string, email: string): string | undefined {
  if ([...password].length < LIMITS.password_min)
    return messages.accounts.problems.passwordShort(LIMITS.password_min);
  if (new TextEncoder().encode(password).length > MAX_PASSWORD_BYTES)
    return messages.accounts.problems.passwordLong;
  if (password.toLowerCase() === email.toLowerCase()) return messages.accounts.problems.passwordIsEmail;
  return undefined;
}

export function nameProblem(messages: Messages, name: string): string | undefined {
  const length = [...name].length;
  return length < 1 || length > LIMITS.display_name || /\p{Cc}/u.test(name)
    ? messages.accounts.problems.name(LIMITS.display_name)
    : undefined;
}

/** Checks the form of an address. Only a mail can show whether it exists. */
export function isEmail(email: string): boolean {
  return email.length <= MAX_EMAIL_LENGTH && /^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+$/u.test(email);
}
