import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Database } from './database.types.ts';
import { naming } from './request-fetch.server.ts';

/** A client with the secret key: it passes every policy. Commands on data make one; pages have admin.server.ts. */
export function serviceClient(url: string, secretKey: string): SupabaseClient<Database> {
  return createClient<Database>(url, secretKey, {
    global: { fetch: naming() },
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
  });
}
