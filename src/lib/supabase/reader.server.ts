import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Database } from './database.types.ts';
import { naming } from './request-fetch.server.ts';
import { backendSettings } from './settings.ts';

/** A read takes milliseconds. After this long nobody will answer, and a page in words is better than a wait. */
export const LONGEST_READ_MS = 5_000;

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
  const { url, publishableKey } = backendSettings();
  return createClient<Database>(url, publishableKey, {
    // A reader who waits through the client's retries (7 s) learns less than one who is told at once.
    db: { retry: false, timeout: LONGEST_READ_MS },
    global: { fetch: naming() },
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
  });
}
