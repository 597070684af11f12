import { isAuthRetryableFetchError } from '@supabase/supabase-js';
import type { APIContext } from 'astro';
import type { Person } from '../domain/permissions.ts';
import { Refused, refusal, refusalFrom } from '../i18n/refusals.ts';
import { READ_TIMEOUT_MS, withDeadline } from './fetch-timeout.ts';
import type { BackendClient } from './result.ts';
import { hasSessionCookie, sessionClient } from './session-client.server.ts';

export type Session = {
  /** The signed-in person, or null. */
  person: Person | null;
  /** Client with that person's permissions, or those of a visitor. */
  backend: BackendClient;
};

/** Fields that the middleware sets for private routes. `person` is the refusal if the session could not be read. */
export type SessionLocals = { backend: BackendClient; person: Person | null | Refused };

/**
 * Reads the session of a private route into `context.locals`, refreshing it if it is about to expire. Call it before
 * the first byte of the response.
 * @returns headers for the response. They may be added until the response is complete, so copy them at the end.
 */
export async function refreshSession(context: APIContext): Promise<Headers> {
  const headers = new Headers();
  const backend = sessionClient(context, headers);
  context.locals.backend = backend;
  context.locals.person = hasSessionCookie(context.request)
    ? // auth-js retries for half a minute. A token that arrives too late is lost with its request; the previous refresh
      // token can be used once more in that case.
      await withDeadline(readPerson(backend), READ_TIMEOUT_MS).catch(asRefused)
    : null;
  return headers;
}

/**
 * Returns the person of a client's session; null if there is none, it has ended or the account is closed.
 * @throws Refused if the backend does not answer
 */
export async function readPerson(backend: BackendClient): Promise<Person | null> {
  const { data, error } = await backend.auth.getClaims();
  if (isAuthRetryableFetchError(error)) throw new Refused(refusal('unavailable'));
  if (!data) return null;
  const me = await backend.rpc('get_me');
  if (!me.error) return me.data as Person | null;
  const reason = await refusalFrom(me.error, me.status);
  if (reason.code === 'signed_out') return null;
  throw new Refused(reason);
}

/**
 * Returns the session that the middleware has read. Throws on a public route, which has none.
 * @throws Refused (`unavailable`, `internal`) if the session could not be read
 */
export function sessionOf(locals: App.Locals): Session {
  const { person, backend } = locals;
  if (person === undefined || !backend) throw new Error('This route is not among the private ones.');
  if (person instanceof Refused) throw person;
  return { person, backend };
}

/** Stored instead of thrown, because some routes, such as signing out, do not need the person. */
function asRefused(error: unknown): Refused {
  if (error instanceof Refused) return error;
  throw error;
}
