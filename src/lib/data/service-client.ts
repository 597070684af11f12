import { createClient } from '@supabase/supabase-js';
import type { Database } from '../domain/database.types.ts';
import { withRequestIdHeader } from './reader-client.server.ts';
import type { BackendClient } from './result.ts';

/**
 * Creates a client with the secret key, which passes every policy, for command line programs. Pages use
 * admin-client.server.ts.
 */
export function serviceClient(
  url: string,
  secretKey: string,
  fetch?: typeof globalThis.fetch,
): BackendClient {
  return createClient<Database>(url, secretKey, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    global: { fetch: withRequestIdHeader(fetch) },
  });
}

/** Creates the client of one person in a long-running program. The session is kept in memory and refreshed. */
export function personClient(url: string, publishableKey: string): BackendClient {
  return createClient<Database>(url, publishableKey, {
    auth: { persistSession: false, autoRefreshToken: true, detectSessionInUrl: false },
  });
}
