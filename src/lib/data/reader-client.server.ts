import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Database } from '../domain/database.types.ts';
import { backendSettings } from './backend-settings.ts';
import { fetchWithin, LONGEST_READ_MS } from './fetch-timeout.ts';
import { naming } from './request-fetch.server.ts';

let shared: SupabaseClient<Database> | undefined;

/**
 * The client that public pages read through: nobody's session, so it sees what any visitor may see and
 * one instance serves every request.
 */
export function reader(): SupabaseClient<Database> {
  shared ??= makeReader();
  return shared;
}

function makeReader() {
  const { url, publishableKey, headers } = backendSettings();
  return createClient<Database>(url, publishableKey, {
    // A reader who waits through the client's retries (7 s) learns less than one who is told at once.
    db: { retry: false },
    // To the end of an answer: the client's own bound ends with the head of it.
    global: { headers, fetch: naming(fetchWithin(LONGEST_READ_MS)) },
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
  });
}
