import { admin } from '../data/admin-client.server.ts';
import { rejected, textOf } from '../data/forms.ts';
import { dataOf } from '../data/result.ts';
import { dropSessionCookie } from '../data/session-client.server.ts';
import {
  type Answer,
  readAccount,
  refuseUnlessPassword,
  type Visit,
  withSession,
} from './account-forms.server.ts';

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
