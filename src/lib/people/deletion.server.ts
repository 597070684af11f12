import { textOf } from '../http/forms.ts';
import { rejected } from '../http/rejected.ts';
import { admin } from '../supabase/admin.server.ts';
import { dataOf } from '../supabase/answer.ts';
import { dropSessionCookie } from '../supabase/session.server.ts';
import { readAccount } from './account.server.ts';
import type { Answer } from './account-answer.ts';
import { type Visit, withSession } from './account-forms.server.ts';
import { refuseUnlessPassword } from './current-password.server.ts';

/** The page that confirms that an account is deleted. */
const DELETED = '/account/deleted';

/**
 * Deletes the account of the session, once its password is verified. The database takes the deletion from the server
 * alone: an access token proves neither the password nor that its holder is the account's person.
 */
export async function deleteAccount(form: FormData, visit: Visit & { locals: App.Locals }): Promise<Answer> {
  return withSession(visit, async (backend) => {
    // The auth service answers this for a session that has not ended, and for no other.
    const account = await readAccount(backend);
    const refused = await refuseUnlessPassword(visit, account, textOf(form, 'current_password'));
    if (refused) return rejected(refused);
    await dataOf(admin().rpc('delete_account', { op: crypto.randomUUID(), person_id: account.id }));
    dropSessionCookie(visit);
    return { goTo: DELETED };
  });
}
