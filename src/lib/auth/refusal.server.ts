import { type AuthError, isAuthRetryableFetchError, type SupabaseClient } from '@supabase/supabase-js';
import { type Refusal, refusal } from '../http/errors.ts';
import type { Database } from '../supabase/database.types.ts';
import { askedToWait } from '../supabase/session.server.ts';
import { accounts } from '../text/accounts.ts';
import { BETWEEN_MAILS_S } from './mail-ways.ts';

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
  return (secondsToWait(error, backend) ?? Number.POSITIVE_INFINITY) <= BETWEEN_MAILS_S;
}

/** Seconds that a 429 asks to wait, where it says: GoTrue writes them into its sentence only. */
function secondsToWait(error: AuthError, backend: Backend): number | undefined {
  const said = /\b(\d+) seconds?\b/.exec(error.message)?.[1];
  return askedToWait(backend) ?? (said ? Number(said) : undefined);
}
