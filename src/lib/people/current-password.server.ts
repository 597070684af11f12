import type { APIContext } from 'astro';
import { authRefusal } from '../auth/refusal.server.ts';
import { type Refusal, refusal } from '../http/errors.ts';
import { passingClient } from '../supabase/session.server.ts';
import { account } from '../text/account.ts';

/**
 * Asks whether a password is the one of an account: by signing in with it, in a session that ends at once. So wrong
 * ones count as failed sign-ins do, and whoever finds an open browser does not get to guess.
 * @returns null when it is, or the refusal, at the field `current_password`
 */
export async function refuseUnlessPassword(
  visit: Pick<APIContext, 'clientAddress' | 'request'>,
  email: string,
  password: string,
): Promise<Refusal | null> {
  const wrong = refusal('invalid', { field: 'current_password', sentence: account.password.wrong });
  if (password === '' || email === '') return wrong;
  const client = passingClient(visit);
  const { error } = await client.auth.signInWithPassword({ email, password });
  if (error) return error.code === 'invalid_credentials' ? wrong : authRefusal(error, client);
  await client.auth.signOut({ scope: 'local' });
  return null;
}
