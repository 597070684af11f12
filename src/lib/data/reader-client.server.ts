import { createClient } from '@supabase/supabase-js';
import { REQUEST_ID_HEADER, requestId } from 'embedded-supabase';
import type { Database } from '../domain/database.types.ts';
import { backendSettings } from './environment.ts';
import { fetchWithin, READ_TIMEOUT_MS } from './fetch-timeout.ts';
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

type Fetch = typeof fetch;

/** Adds the id of the current request, so that the logs of both processes show the same id. */
export function withRequestIdHeader(baseFetch: Fetch = (input, init) => fetch(input, init)): Fetch {
  return (input, init) => {
    const id = requestId();
    if (id === undefined) return baseFetch(input, init);
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    headers.set(REQUEST_ID_HEADER, id);
    return baseFetch(input, { ...init, headers });
  };
}
