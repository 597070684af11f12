import { createClient } from '@supabase/supabase-js';
import type { Database } from '../domain/database.types.ts';
import { backendSettings } from './backend-settings.ts';
import { fetchWithin, READ_TIMEOUT_MS } from './fetch-timeout.ts';
import { withRequestIdHeader } from './request-fetch.server.ts';
import type { BackendClient } from './result.ts';

let shared: BackendClient | undefined;

/**
 * Returns the shared client for public pages. It has no session, so it sees what every visitor may see and can serve
 * every request.
 */
export function readerClient(): BackendClient {
  shared ??= createReaderClient();
  return shared;
}

function createReaderClient() {
  const { url, publishableKey, headers } = backendSettings();
  return createClient<Database>(url, publishableKey, {
    // The client's retries take up to 7 s. A visitor gets an error sooner without them.
    db: { retry: false },
    // This timeout covers the whole response. The client's own covers the headers only.
    global: { headers, fetch: withRequestIdHeader(fetchWithin(READ_TIMEOUT_MS)) },
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
  });
}
