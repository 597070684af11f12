import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Database } from './database.types.ts';
import { backendSettings } from './settings.ts';

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
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
  });
}
