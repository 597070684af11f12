import { admin } from '../supabase/admin.server.ts';
import { dataOf } from '../supabase/answer.ts';
import { codeHash, grouped, newCode } from './code.ts';

/**
 * Offers a newsroom that nobody owns to whoever can read what the server prints. An earlier code is void from then on.
 * @returns the code as it is shown, or null when the newsroom has an owner
 * @throws Refused when the backend does not answer
 */
export async function offerSetup(): Promise<string | null> {
  const code = newCode();
  const isOpen = await dataOf(admin().rpc('offer_setup', { code_hash: codeHash(code) }));
  return isOpen ? grouped(code) : null;
}
