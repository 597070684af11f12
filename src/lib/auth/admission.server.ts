import type { SupabaseClient } from '@supabase/supabase-js';
import { type Refusal, refusal, refusalOrThrow } from '../http/errors.ts';
import type { Database } from '../supabase/database.types.ts';
import { accounts } from '../text/accounts.ts';
import type { Person } from './person.ts';
import { readPerson } from './session.server.ts';

export type Outcome = { person: Person } | { refusal: Refusal };

/** Who has just begun a session. A closed account's ends again at once. */
export async function admitted(backend: SupabaseClient<Database>): Promise<Outcome> {
  try {
    const person = await readPerson(backend);
    if (person) return { person };
  } catch (error) {
    return { refusal: refusalOrThrow(error) };
  }
  await backend.auth.signOut({ scope: 'local' });
  return { refusal: refusal('forbidden', { sentence: accounts.problems.closed }) };
}
