import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Database } from '../domain/database.types.ts';
import { fetchInTime } from './fetch-timeout.ts';

export type BrowserBackend = { publicUrl: string; publishableKey: string };

/**
 * The client of the desk's islands. It never holds a session: the refresh token stays in its HttpOnly
 * cookie, and `accessToken` answers a short-lived token for each call (null when signed out).
 */
export function browserClient(
  backend: BrowserBackend,
  accessToken: () => Promise<string | null>,
): SupabaseClient<Database> {
  const url = new URL(backend.publicUrl, window.location.origin).href;
  // The constructor asks for a token too, and warns on the console where a page that is being left gets none.
  let isConstructed = false;
  const client = createClient<Database>(url, backend.publishableKey, {
    accessToken: async () => (isConstructed ? accessToken() : null),
    global: { fetch: fetchInTime },
  });
  isConstructed = true;
  return client;
}
