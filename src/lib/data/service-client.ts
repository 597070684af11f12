import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Database } from '../domain/database.types.ts';
import { naming } from './request-fetch.server.ts';

/** A client with the secret key: it passes every policy. Commands on data make one; pages have admin.server.ts. */
export function serviceClient(
  url: string,
  secretKey: string,
  fetch?: typeof globalThis.fetch,
): SupabaseClient<Database> {
  return createClient<Database>(url, secretKey, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    global: { fetch: naming(fetch) },
  });
}

/** The client of one person in a program that runs on: its session is kept in memory and renewed in time. */
export function personClient(url: string, publishableKey: string): SupabaseClient<Database> {
  return createClient<Database>(url, publishableKey, {
    auth: { persistSession: false, autoRefreshToken: true, detectSessionInUrl: false },
  });
}
