import { type AuthError, isAuthRetryableFetchError, type SupabaseClient } from '@supabase/supabase-js';
import { type Refusal, Refused, refusal } from '../http/errors.ts';
import type { Database } from '../supabase/database.types.ts';
import { askedToWait } from '../supabase/session.server.ts';
import { accounts } from '../text/accounts.ts';
import type { Credentials, NewAccount } from './credentials.ts';
import type { Person } from './person.ts';
import { readPerson } from './session.server.ts';

type Backend = SupabaseClient<Database>;
type Outcome = { person: Person } | { refusal: Refusal };

/** Begins a session. A wrong password and an unknown account are refused in the same words. */
export async function signIn(backend: Backend, { email, password }: Credentials): Promise<Outcome> {
  const { error } = await backend.auth.signInWithPassword({ email, password });
  return error ? { refusal: refusalOf(error, backend) } : admitted(backend);
}

/** Makes an account, and begins its session where the backend asks for no confirmation first. */
export async function signUp(backend: Backend, account: NewAccount): Promise<Outcome | 'confirm'> {
  const { email, password, name } = account;
  const { data, error } = await backend.auth.signUp({
    email,
    password,
    options: { data: { display_name: name } },
  });
  if (error) return { refusal: refusalOf(error, backend) };
  return data.session ? admitted(backend) : 'confirm';
}

/** Ends this session, here only. The cookie goes even when the backend cannot be asked. */
export async function signOut(backend: Backend): Promise<void> {
  await backend.auth.signOut({ scope: 'local' });
}

async function admitted(backend: Backend): Promise<Outcome> {
  try {
    const person = await readPerson(backend);
    if (person) return { person };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { refusal: error.refusal };
  }
  await signOut(backend);
  return { refusal: refusal('forbidden', { sentence: accounts.problems.closed }) };
}

function refusalOf(error: AuthError, backend: Backend): Refusal {
  if (isAuthRetryableFetchError(error)) {
    return refusal('unavailable', { sentence: accounts.problems.unavailable });
  }
  switch (error.code) {
    case 'invalid_credentials':
    case 'email_not_confirmed':
      return refusal('invalid', { sentence: accounts.problems.credentials });
    case 'user_already_exists':
    case 'email_exists':
      return refusal('invalid', { field: 'email', sentence: accounts.problems.taken });
    case 'email_address_invalid':
    case 'validation_failed':
      return refusal('invalid', { field: 'email', sentence: accounts.problems.email });
    case 'weak_password':
      return refusal('invalid', { field: 'password', sentence: accounts.problems.passwordWeak });
    case 'user_banned':
      return refusal('forbidden', { sentence: accounts.problems.closed });
  }
  if (error.status === 429) {
    const retryAfter = askedToWait(backend) ?? 60;
    return refusal('rate_limited', { retryAfter, sentence: accounts.problems.tooMany(retryAfter) });
  }
  return refusal('internal');
}
