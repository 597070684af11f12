import { adminClient } from '../data/admin-client.server.ts';
import { fieldText, rejectForm } from '../data/forms.ts';
import { dataOf } from '../data/result.ts';
import { deleteSessionCookie } from '../data/session-client.server.ts';
import {
  type AccountFormResponse,
  type AccountRequest,
  readAccount,
  refuseUnlessPassword,
  withSession,
} from './account-forms.server.ts';

/** The page that confirms the deletion of an account. */
const DELETED = '/account/deleted';

/**
 * Deletes the account of the session after verifying its password. Only the server may call the database function,
 * because an access token proves neither the password nor that its holder owns the account.
 */
export async function deleteAccount(form: FormData, visit: AccountRequest): Promise<AccountFormResponse> {
  return withSession(visit, async (backend) => {
    // Checks that the session is still valid: the auth service answers only then.
    const account = await readAccount(backend);
    const refused = await refuseUnlessPassword(visit, account, fieldText(form, 'current_password'));
    if (refused) return rejectForm(refused, visit.locals.messages);
    await dataOf(
      adminClient().rpc('delete_account', { idempotency_key: crypto.randomUUID(), person_id: account.id }),
    );
    deleteSessionCookie(visit);
    return { goTo: DELETED };
  });
}
