import type { SupabaseClient } from '@supabase/supabase-js';
import type { Refusal } from '../http/errors.ts';
import { siteUrl } from '../site/address.ts';
import type { Database } from '../supabase/database.types.ts';
import { admitted, type Outcome } from './admission.server.ts';
import type { Credentials, NewAccount } from './credentials.ts';
import { HOME } from './next.ts';
import { provedMailbox } from './proof.ts';
import { authRefusal, isOnItsWay } from './refusal.server.ts';

type Backend = SupabaseClient<Database>;

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
