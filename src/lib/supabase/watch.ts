import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { fetchWithin } from '../http/fetch-in-time.ts';
import { LONGEST_READ_MS } from '../http/patience.ts';
import type { Database } from './database.types.ts';

/** How soon a line that has gone silent is noticed: within two of these. */
const HEARTBEAT_MS = 10_000;

/**
 * The client of the watch over the cache, and of what rings for alerts, in the server around the pages: it hears of every
 * change, which is for no visitor, and so holds the secret key.
 * @param longest milliseconds that a call may take, to the end of its answer
 */
export function watchClient(
  url: string,
  secretKey: string,
  longest = LONGEST_READ_MS,
): SupabaseClient<Database> {
  return createClient<Database>(url, secretKey, {
    // The watch has its own pauses between questions.
    db: { retry: false },
    global: { fetch: fetchWithin(longest) },
    realtime: { heartbeatIntervalMs: HEARTBEAT_MS },
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
  });
}
