import type { SupabaseContext } from '@supabase/server';
import { dataOf } from '../_shared/database.ts';
import { Refused } from '../_shared/refusals.ts';
import type { InviteRequest } from './call.ts';

type Account = { email: string; person: string | null; has_account: boolean };
type JoinRequest = Extract<InviteRequest, { act: 'join' }>;

/**
 * Creates the account of an invite with a confirmed address: the secret was sent to it or passed on by an owner. An
 * account whose address was never confirmed gets the new password.
 * @throws Refused `gone` for an expired invite, `conflict` if there is a confirmed account
 */
export async function createInvitedAccount(
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
