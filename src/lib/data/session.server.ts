import { isAuthRetryableFetchError, type SupabaseClient } from '@supabase/supabase-js';
import type { APIContext } from 'astro';
import type { Database } from '../domain/database.types.ts';
import type { Person } from '../domain/permissions.ts';
import { Refused, refusal, refusalFrom } from '../i18n/refusals.ts';
import { inTime, LONGEST_READ_MS } from './fetch-timeout.ts';
import { hasSessionCookie, sessionClient } from './session-client.server.ts';

export type Session = {
  /** Who is signed in, or null. */
  person: Person | null;
  /** The backend under that person's rights (nobody's when signed out). */
  backend: SupabaseClient<Database>;
};

/** What the middleware leaves for a private route. `person` is the refusal itself when it could not be told who it is. */
export type SessionLocals = { backend: Session['backend']; person: Person | null | Refused };

/**
 * Reads the session of a private route into `context.locals`, refreshing it when it is about to expire.
 * To be called before the first byte of the answer.
 * @returns headers that belong on the answer, filled until the answer is made: copy them at the end
 */
export async function refreshSession(context: APIContext): Promise<Headers> {
  const headers = new Headers();
  const backend = sessionClient(context, headers);
  context.locals.backend = backend;
  context.locals.person = hasSessionCookie(context.request)
    ? // auth-js asks for a new token again and again, for half a minute; a token that comes too late is lost with its
      // request, and the one before is taken once more for that.
      await inTime(readPerson(backend), LONGEST_READ_MS).catch(refused)
    : null;
  return headers;
}

/**
 * The person whose session a client holds; null when there is none, it has ended or the account is closed.
 * @throws Refused when the backend does not answer
 */
export async function readPerson(backend: SupabaseClient<Database>): Promise<Person | null> {
  const { data, error } = await backend.auth.getClaims();
  if (isAuthRetryableFetchError(error)) throw new Refused(refusal('unavailable'));
  if (!data) return null;
  const me = await backend.rpc('me');
  if (!me.error) return me.data as Person | null;
  const reason = refusalFrom(me.error, me.status);
  if (reason.code === 'signed_out') return null;
  throw new Refused(reason);
}

/**
 * The session that the middleware has read. Throws on a public route, which has none.
 * @throws Refused (`unavailable`, `internal`) when it could not be told who this is
 */
export function sessionOf(locals: App.Locals): Session {
  const { person, backend } = locals;
  if (person === undefined || !backend) throw new Error('This route is not among the private ones.');
  if (person instanceof Refused) throw person;
  return { person, backend };
}

/** Who it is matters only to the routes that ask: signing out works all the same. */
function refused(error: unknown): Refused {
  if (error instanceof Refused) return error;
  throw error;
}
