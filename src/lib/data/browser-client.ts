import { createClient } from '@supabase/supabase-js';
import type { Database } from '../domain/database.types.ts';
import { fetchWithTimeout } from './fetch-timeout.ts';
import type { BackendClient } from './result.ts';

export type BrowserBackend = { publicUrl: string; publishableKey: string };

/**
 * Creates the Supabase client of the desk's islands. It holds no session: the refresh token stays in its HttpOnly
 * cookie, and `accessToken` returns a short-lived token for each call (null when signed out).
 */
export function browserClient(
  backend: BrowserBackend,
  accessToken: () => Promise<string | null>,
): BackendClient {
  const url = new URL(backend.publicUrl, window.location.origin).href;
  // The constructor requests a token too, and logs a warning if the page is being left.
  let isConstructed = false;
  const client = createClient<Database>(url, backend.publishableKey, {
    accessToken: async () => (isConstructed ? accessToken() : null),
    global: { fetch: fetchWithTimeout },
  });
  isConstructed = true;
  return client;
}
