import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Database } from './database.types.ts';

/** One question about numbers. After this long nobody will answer. */
const LONGEST_READ_MS = 5_000;
/** How soon a line that has gone silent is noticed: within two of these. */
const HEARTBEAT_MS = 10_000;

/**
 * The client of the watch over the cache, and of what rings for alerts, in the server around the pages: it hears of every
 * change, which is for no visitor, and so holds the secret key.
 */
export function watchClient(url: string, secretKey: string): SupabaseClient<Database> {
  return createClient<Database>(url, secretKey, {
    // The watch has its own pauses between questions.
    db: { retry: false, timeout: LONGEST_READ_MS },
    realtime: { heartbeatIntervalMs: HEARTBEAT_MS },
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
  });
}
