import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Database } from './database.types.ts';

/** The client of one person in a program that runs on: its session is kept in memory and renewed in time. */
export function personClient(url: string, publishableKey: string): SupabaseClient<Database> {
  return createClient<Database>(url, publishableKey, {
    auth: { persistSession: false, autoRefreshToken: true, detectSessionInUrl: false },
  });
}
