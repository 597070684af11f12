import type { APIContext } from 'astro';
import { authRefusal } from '../auth/refusal.server.ts';
import { type Refusal, refusal } from '../http/errors.ts';
import { passingClient } from '../supabase/session.server.ts';
import { account as words } from '../text/account.ts';
import type { Account } from './account.server.ts';

/**
 * Verifies the password of an account by signing in with it, in a session that ends at once. Wrong passwords therefore
 * count as failed sign-ins, and a person at an open browser cannot guess.
 * @returns null when the password is right, else the refusal for the field `current_password`
 */
export async function refuseUnlessPassword(
  visit: Pick<APIContext, 'clientAddress' | 'request'>,
  { id, email }: Pick<Account, 'id' | 'email'>,
  password: string,
): Promise<Refusal | null> {
  const wrong = refusal('invalid', { field: 'current_password', sentence: words.password.wrong });
  if (password === '' || email === '') return wrong;
  const client = passingClient(visit);
  const { data, error } = await client.auth.signInWithPassword({ email, password });
  if (error) return error.code === 'invalid_credentials' ? wrong : authRefusal(error, client);
  await client.auth.signOut({ scope: 'local' });
  return data.user.id === id ? null : wrong;
}
